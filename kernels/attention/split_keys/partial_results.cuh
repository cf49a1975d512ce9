// SPDX-License-Identifier: MIT
// What splits of the keys have found, and how it becomes one result: first over the warps of a block, then over the
// blocks of a cluster through distributed shared memory. Both go through the splits in their order, so that the same
// input gives the same bits on every run.
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

namespace assay::attention::split_keys {

template <int kRows, int kHeadDim, int kWarps>
struct PartialResults {
  static constexpr int kRowStride = kHeadDim + 8;  // floats: the eight rows that a warp stores at once differ in banks

  float output[kWarps][kRows][kRowStride];
  float origin[kWarps][kRows];  // of warp 0, after merge_warps: the block's
  float sum[kWarps][kRows];     // likewise
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

  // All warps' results become warp 0's. Every thread of the block must call it; ends without a barrier.
  __device__ __forceinline__ void merge_warps(int rows) {
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
      origin[0][thread] = highest;
      sum[0][thread] = total;
    }
    __syncthreads();
    for (int item = thread; item < rows * (kHeadDim / 4); item += 32 * kWarps) {
      const int row = item / (kHeadDim / 4);
      const int column = item % (kHeadDim / 4) * 4;
      float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
      for (int warp = 0; warp < kWarps; ++warp)
        add(merged, weight[warp][row], *reinterpret_cast<const float4*>(&output[warp][row][column]));
      *reinterpret_cast<float4*>(&output[0][row][column]) = merged;
    }
  }

  // The blocks' results become the output; each block of the cluster writes a part of it. No block may leave before
  // all have read.
  template <typename Element>
  __device__ __forceinline__ void merge_blocks_and_store(const Params& params, const PackedRows& packed, int rows) {
    const int blocks = cluster_blocks();
    arrive_at_cluster();
    wait_for_cluster();
    for (int item = cluster_rank() * 32 * kWarps + static_cast<int>(threadIdx.x); item < rows * (kHeadDim / 4);
         item += blocks * 32 * kWarps) {
      const int row = item / (kHeadDim / 4);
      const int column = item % (kHeadDim / 4) * 4;
      const uint32_t s_origin = shared_address(&origin[0][row]);
      const uint32_t s_sum = shared_address(&sum[0][row]);
      const uint32_t s_output = shared_address(&output[0][row][column]);
      float highest = load_remote(shared_address_in(s_origin, 0));
#pragma unroll 4
      for (int block = 1; block < blocks; ++block)
        highest = fmaxf(highest, load_remote(shared_address_in(s_origin, block)));
      float total = 0.0f;
      float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
      for (int block = 0; block < blocks; ++block) {
        const float shrink = exp2_approximate(load_remote(shared_address_in(s_origin, block)) - highest);
        total += shrink * load_remote(shared_address_in(s_sum, block));
        add(merged, shrink, load_remote_4(shared_address_in(s_output, block)));
      }
      store<Element>(params, packed, row, column, merged, highest, total);
    }
    arrive_at_cluster();
    wait_for_cluster();
  }

 private:
  __device__ __forceinline__ static void add(float4& to, float factor, const float4& from) {
    to.x = fmaf(factor, from.x, to.x);
    to.y = fmaf(factor, from.y, to.y);
    to.z = fmaf(factor, from.z, to.z);
    to.w = fmaf(factor, from.w, to.w);
  }

  // A row that sees no key is 0, and its log-sum-exp -inf. NaN stays NaN.
  template <typename Element>
  __device__ __forceinline__ static void store(const Params& params, const PackedRows& packed, int row, int column,
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

}  // namespace assay::attention::split_keys
