// SPDX-License-Identifier: MIT
// What splits of the keys have found, and how it becomes one result: first over the warps of a block, then over the
// blocks of a cluster, which send each other their shares through distributed shared memory. Both go through the splits
// in their order, so that the same input gives the same bits on every run.
//
// A partial result of a row is its origin (the largest score, in the log2 domain), the sum of 2^(score - origin), and
// the products of those powers with the values. Two of them merge by shrinking both to the larger origin.
#pragma once

#include <cstdint>

#include "../../primitives/async_copy.cuh"
#include "../../primitives/cluster.cuh"
#include "../../primitives/element.cuh"
#include "../../primitives/exponential.cuh"
#include "../../primitives/warp_tile.cuh"
#include "../library/row_softmax.cuh"
#include "packed_rows.cuh"
#include "plan.hpp"

namespace assay::attention::split_keys {

__device__ __forceinline__ void add(float4& to, float factor, const float4& from) {
  to.x = fmaf(factor, from.x, to.x);
  to.y = fmaf(factor, from.y, to.y);
  to.z = fmaf(factor, from.z, to.z);
  to.w = fmaf(factor, from.w, to.w);
}

// Where the results of all blocks of the cluster arrive, of a share of the tile's columns: block r gets the quads (four
// columns of a row) from r * share on. Nothing else lies in this memory, so that a block may write to it as soon as the
// other has started.
template <int kRows, int kHeadDim>
struct Inbox {
  static constexpr int kRowQuads = kHeadDim / 4;

  float4 output[kRows * kRowQuads + kLargestCluster];  // (blocks, share)
  float origin[kLargestCluster][kRows];
  float sum[kLargestCluster][kRows];

  __device__ __forceinline__ static int share_of(int rows) {
    return (rows * kRowQuads + cluster_blocks() - 1) / cluster_blocks();
  }

  // To all blocks.
  __device__ __forceinline__ void send_row(int row, float highest, float total) const {
    const int rank = cluster_rank();
#pragma unroll 1
    for (int block = 0; block < cluster_blocks(); ++block) {
      store_remote(shared_address_in(shared_address(&origin[rank][row]), block), highest);
      store_remote(shared_address_in(shared_address(&sum[rank][row]), block), total);
    }
  }
  // To the block whose share it is.
  __device__ __forceinline__ void send_quad(int quad, int rows, const float4& values) const {
    const int share = share_of(rows);
    const int owner = quad / share;
    store_remote(shared_address_in(shared_address(&output[cluster_rank() * share + quad - owner * share]), owner),
                 values);
  }

  // What has arrived becomes output. After the barrier of the cluster. Call: Params of this folder or ../serving.
  template <typename Element, int kThreads, typename Call, typename Rows>
  __device__ __forceinline__ void merge_blocks(const Call& params, const Rows& packed, int rows) const {
    for_each_quad<kThreads>(rows, [&](int quad, const float4& merged, float highest, float total) {
      store<Element>(params, packed, quad / kRowQuads, quad % kRowQuads * 4, merged, highest, total);
    });
  }

  // Calls visit(quad, merged, highest, total) for the quads of this block's share: what the cluster's blocks have
  // found, relative to 2^highest, and the sum of the row.
  template <int kThreads, typename Visit>
  __device__ __forceinline__ void for_each_quad(int rows, Visit visit) const {
    const int blocks = cluster_blocks();
    const int share = share_of(rows);
    for (int slot = static_cast<int>(threadIdx.x); slot < share; slot += kThreads) {
      const int quad = cluster_rank() * share + slot;
      if (quad >= rows * kRowQuads) break;
      const int row = quad / kRowQuads;
      float highest = origin[0][row];
      for (int block = 1; block < blocks; ++block) highest = fmaxf(highest, origin[block][row]);
      float total = 0.0f;
      float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      for (int block = 0; block < blocks; ++block) {
        const float shrink = exp2_approximate(origin[block][row] - highest);
        total += shrink * sum[block][row];
        add(merged, shrink, output[block * share + slot]);
      }
      visit(quad, merged, highest, total);
    }
  }

  // A row that sees no key is 0, and its log-sum-exp -inf. NaN stays NaN.
  template <typename Element, typename Call, typename Rows>
  __device__ __forceinline__ static void store(const Call& params, const Rows& packed, int row, int column,
                                               const float4& merged, float highest, float total) {
    constexpr float kLn2 = 0.6931471805599453f;
    const float factor = total != 0.0f ? 1.0f / total : 0.0f;
    if (column < params.row_chunks * 8) {
      auto* g_output = static_cast<Element*>(params.output) + packed.offset(row, params.output_strides) + column;
      *reinterpret_cast<uint2*>(g_output) = make_uint2(pack<Element>(merged.x * factor, merged.y * factor),
                                                       pack<Element>(merged.z * factor, merged.w * factor));
    }
    if (column == 0 && params.log_sum_exp != nullptr) {
      params.log_sum_exp[packed.log_sum_exp_index(row)] = total != 0.0f ? kLn2 * (highest + log2f(total)) : -INFINITY;
    }
  }
};

template <int kRows, int kHeadDim, int kWarps>
struct PartialResults {
  static constexpr int kRowStride = kHeadDim + 8;  // floats: the eight rows that a warp stores at once differ in banks

  float output[kWarps][kRows][kRowStride];
  float origin[kWarps][kRows];
  float sum[kWarps][kRows];
  float weight[kWarps][kRows];

  // A warp's own result.
  template <int kSlabs>
  __device__ __forceinline__ void put(int warp, int lane, const WarpTile<kSlabs, kHeadDim>& r_output,
                                      const library::RowSoftmax<kSlabs>& softmax) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = slab * kMmaRows + half * 8 + lane / 4;
#pragma unroll
        for (int fragment = 0; fragment < kHeadDim / kMmaColumns; ++fragment) {
          const CFragment& values = r_output.fragment[slab][fragment];
          *reinterpret_cast<float2*>(&output[warp][row][fragment * kMmaColumns + lane % 4 * 2]) =
              make_float2(values[2 * half], values[2 * half + 1]);
        }
        if (lane % 4 == 0) {
          origin[warp][row] = softmax.origin(slab, half);
          sum[warp][row] = softmax.sum(slab, half);
        }
      }
  }

  // All warps' results become the block's, which goes to the inboxes of the cluster's blocks, to each its share. Every
  // thread of the block must call it.
  __device__ __forceinline__ void merge_warps(const Inbox<kRows, kHeadDim>& s_inbox, int rows) {
    const int thread = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (thread < rows) {
      float highest = origin[0][thread];
#pragma unroll
      for (int warp = 1; warp < kWarps; ++warp) highest = fmaxf(highest, origin[warp][thread]);
      float total = 0.0f;
#pragma unroll
      for (int warp = 0; warp < kWarps; ++warp) {
        weight[warp][thread] = exp2_approximate(origin[warp][thread] - highest);
        total += weight[warp][thread] * sum[warp][thread];
      }
      s_inbox.send_row(thread, highest, total);
    }
    __syncthreads();
    for (int quad = thread; quad < rows * (kHeadDim / 4); quad += 32 * kWarps) {
      const int row = quad / (kHeadDim / 4);
      const int column = quad % (kHeadDim / 4) * 4;
      float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
      for (int warp = 0; warp < kWarps; ++warp)
        add(merged, weight[warp][row], *reinterpret_cast<const float4*>(&output[warp][row][column]));
      s_inbox.send_quad(quad, rows, merged);
    }
  }
};

}  // namespace assay::attention::split_keys
