// SPDX-License-Identifier: MIT
// What the blocks of a cluster have found of one tile, each for its share of the keys, becomes one result. Every block
// leaves its part in its own shared memory; after a barrier of the cluster each reads a share of the rows from all of
// them, in the order of the blocks: the same bits on every run.
#pragma once

#include "../../primitives/cluster.cuh"
#include "../primitives/cluster_slots.hpp"
#include "split_tile.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

// A block's part of a tile: the reference of a row (about the largest score, in the log2 domain), the sum of
// 2^(score - reference), and the products of those powers with the values.
template <int kHeadDim>
struct SplitPart {
  static constexpr int kRowStride = kHeadDim + 8;  // floats: rows that a warp writes at once lie in different banks
  static constexpr int kRowQuads = kHeadDim / 4;   // of four columns

  float output[kSplitTileRows][kRowStride];
  float reference[kSplitTileRows];
  float sum[kSplitTileRows];
  float weight[kLargestCluster][kSplitTileRows];  // of all blocks, in the rows that this one writes

  // By the warpgroup whose 64 rows begin at first_row; the sums are those of whole rows.
  __device__ __forceinline__ void put(int first_row, const float (&r_output)[kHeadDim / 2],
                                      const OnlineSoftmax& softmax) {
    const int thread = reread_thread() % kWarpgroup;
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4;
    const int column = 2 * (thread % 4);
#pragma unroll
    for (int i = 0; i < kHeadDim / 2; i += 2) {
      *reinterpret_cast<float2*>(&output[row + 8 * row_of(i)][column_of(i) + column]) =
          make_float2(r_output[i], r_output[i + 1]);
    }
    if (column == 0) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        reference[row + 8 * half] = softmax.reference[half];
        sum[row + 8 * half] = softmax.sum[half];
      }
    }
  }

  // What another warpgroup has put for the same rows, at first_row, is added to what this one has found.
  __device__ __forceinline__ void add_to(float (&r_output)[kHeadDim / 2], OnlineSoftmax& softmax, int first_row) const {
    const int thread = reread_thread() % kWarpgroup;
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4;
    const int column = 2 * (thread % 4);
    float own[2];
    float others[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float whole = fmaxf(softmax.reference[half], reference[row + 8 * half]);
      own[half] = exp2_special(softmax.reference[half] - whole);
      others[half] = exp2_special(reference[row + 8 * half] - whole);
      softmax.reference[half] = whole;
      softmax.sum[half] = own[half] * softmax.sum[half] + others[half] * sum[row + 8 * half];
    }
#pragma unroll
    for (int i = 0; i < kHeadDim / 2; i += 2) {
      const float2 part = *reinterpret_cast<const float2*>(&output[row + 8 * row_of(i)][column_of(i) + column]);
      r_output[i] = fmaf(others[row_of(i)], part.x, own[row_of(i)] * r_output[i]);
      r_output[i + 1] = fmaf(others[row_of(i)], part.y, own[row_of(i)] * r_output[i + 1]);
    }
  }

  // What the parts of all blocks count in a row, so that they add up to the result: the references of all blocks
  // decide. Returns the softmax of the whole row.
  __device__ __forceinline__ OnlineSoftmax weigh(int row) {
    const int blocks = cluster_blocks();
    float references[kLargestCluster];
    float sums[kLargestCluster];
    OnlineSoftmax whole;
#pragma unroll
    for (int block = 0; block < kLargestCluster; ++block) {  // all loads at once
      if (block >= blocks) break;
      references[block] = load_remote(shared_address_in(shared_address(&reference[row]), block));
      sums[block] = load_remote(shared_address_in(shared_address(&sum[row]), block));
    }
#pragma unroll
    for (int block = 0; block < kLargestCluster; ++block) {
      if (block < blocks) whole.reference[0] = fmaxf(whole.reference[0], references[block]);
    }
#pragma unroll
    for (int block = 0; block < kLargestCluster; ++block) {
      if (block >= blocks) break;
      references[block] = exp2_special(references[block] - whole.reference[0]);
      whole.sum[0] = fmaf(references[block], sums[block], whole.sum[0]);
    }
    const float factor = whole.normaliser(0);
#pragma unroll
    for (int block = 0; block < kLargestCluster; ++block) {
      if (block < blocks) weight[block][row] = references[block] * factor;
    }
    return whole;
  }

  // kCount quads of the tile, `step` apart, of all blocks. weigh() has seen their rows.
  template <int kCount>
  __device__ __forceinline__ void add_up(float4 (&r_quads)[kCount], int quad, int step, int end) const {
    const int blocks = cluster_blocks();
#pragma unroll
    for (float4& r_quad : r_quads) r_quad = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 2
    for (int block = 0; block < blocks; ++block) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const int at = min(quad + i * step, end - 1);
        const int row = at / kRowQuads;
        const float4 part =
            load_remote_quad(shared_address_in(shared_address(&output[row][at % kRowQuads * 4]), block));
        const float factor = weight[block][row];
        r_quads[i].x = fmaf(factor, part.x, r_quads[i].x);
        r_quads[i].y = fmaf(factor, part.y, r_quads[i].y);
        r_quads[i].z = fmaf(factor, part.z, r_quads[i].z);
        r_quads[i].w = fmaf(factor, part.w, r_quads[i].w);
      }
    }
  }
};

// Where a row of a tile belongs.
struct RowPlace {
  int head;
  int query;

  __device__ __forceinline__ RowPlace(const Params& params, const SplitTile& tile, int row)
      : head(tile.head + (row >> params.head_rows_log2)),
        query(tile.first_row + (row & ((1 << params.head_rows_log2) - 1))) {}
};

// This block's share of the rows of the tile goes to memory. By kThreads threads, numbered from 0, which named barrier
// `barrier` is for.
template <class Element, int kHeadDim, int kThreads>
__device__ __forceinline__ void write_share(SplitPart<kHeadDim>& part, const Params& params, const SplitTile& tile,
                                            int thread, int barrier) {
  constexpr int kQuads = SplitPart<kHeadDim>::kRowQuads;
  constexpr int kAtOnce = 4;                             // so many loads from other blocks are on their way
  const int rows = tile.heads << params.head_rows_log2;  // those of heads that exist
  const int share = (rows + cluster_blocks() - 1) / cluster_blocks();
  const int first = cluster_rank() * share;
  const int end = min(rows, first + share);
  if (first + thread < end) {
    const OnlineSoftmax softmax = part.weigh(first + thread);
    const RowPlace place(params, tile, first + thread);
    if (params.g_log_sum_exp != nullptr && place.query < params.query_rows) {
      const int64_t of_head = int64_t{tile.batch} * params.query_heads + place.head;
      params.g_log_sum_exp[of_head * params.query_rows + place.query] = softmax.log_sum_exp(0);
    }
  }
  named_barrier_sync(barrier, kThreads);
  auto* g_batch = static_cast<Element*>(params.g_output) + tile.batch * params.output_batch_stride;
#pragma unroll 1
  for (int quad = first * kQuads + thread; quad < end * kQuads; quad += kAtOnce * kThreads) {
    float4 r_quads[kAtOnce];
    part.add_up(r_quads, quad, kThreads, end * kQuads);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int at = quad + i * kThreads;
      const int column = at % kQuads * 4;
      const RowPlace place(params, tile, at / kQuads);
      if (at >= end * kQuads || place.query >= params.query_rows || column >= params.head_dim) continue;
      *reinterpret_cast<uint2*>(g_batch + place.head * params.output_head_stride +
                                place.query * params.output_row_stride + column) =
          make_uint2(pack<Element>(r_quads[i].x, r_quads[i].y), pack<Element>(r_quads[i].z, r_quads[i].w));
    }
  }
}

}  // namespace assay::attention::hopper
