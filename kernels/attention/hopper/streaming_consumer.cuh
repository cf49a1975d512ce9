// SPDX-License-Identifier: MIT
// A warpgroup of the streaming kernel that computes: 64 query rows of every tile.
#pragma once

#include "schedule.cuh"
#include "warp_scores.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

// Warpgroups take turns at issuing products, so that the softmax of one runs under the products of the others.
// Named barriers: 0 is __syncthreads, then one per consumer for its turn, then one per consumer for its own warps.
template <class Config>
struct RingTurns {
  int group;

  __device__ void take() const { named_barrier_sync(1 + group, 2 * kWarpgroup); }
  __device__ void pass() const { named_barrier_arrive(1 + (group + 1) % Config::kConsumers, 2 * kWarpgroup); }
};

template <class Config>
struct StreamingConsumer {
  using Element = typename Config::Element;
  using Cursor = RingCursor<Config::kStages>;
  static constexpr int kScores = Config::kKeyBlock / 2;
  static constexpr int kOutputs = Config::kHeadDim / 2;

  typename Config::Shared& shared;
  const Params& params;
  int group;
  RingTurns<Config> turns;
  Cursor value_cursor;  // keys are one block ahead
  int tile_count = 0;

  float scores[kScores];   // (64, key_block)
  float output[kOutputs];  // (64, head_dim)
  Probabilities<Element, Config::kKeyBlock> probabilities;

  __device__ __forceinline__ void run() {
    if (group == Config::kConsumers - 1) turns.pass();
    OnlineSoftmax softmax;
    clear_output();
    int row;
    int block;
    if (find_tile(0, row, block)) {
      start_first_tile(row, block, softmax);
#pragma unroll 1
      while (true) {
#pragma unroll 1
        while (--block >= 0) attend_block(row, block, softmax);
        if (!find_tile(tile_count + 1, row, block)) break;
        cross_tiles(row, block, softmax);
      }
      finish_last_tile(softmax);
    }
    if (group == 0) turns.take();
  }

 private:
  __device__ void release(Mbarrier& empty) const {
    if (threadIdx.x % 32 == 0) empty.arrive();
  }
  __device__ __forceinline__ Cursor key_cursor() const {
    Cursor cursor = value_cursor;
    cursor.advance();
    return cursor;
  }
  __device__ __forceinline__ Element* s_query(int tile) const { return shared.query[tile % 2][group]; }
  __device__ __forceinline__ int first_row(const TileWork& work) const {
    return work.tile * Config::kRows + group * kTileRows;
  }

  // Waits for the queries of a tile; row and block become its first row and last key block. False: there is none.
  __device__ __forceinline__ bool find_tile(int tile, int& row, int& block) const {
    shared.query_full[tile % 2].wait(tile / 2 % 2);
    const TileWork work = shared.tile[tile % 2];
    row = first_row(work);
    block = work.key_blocks - 1;
    return work.key_blocks > 0;
  }

  __device__ __forceinline__ void start_block_scores(int tile, int stage) {
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(scores, s_query(tile), shared.key[stage]);
    matrix_commit();
  }
  __device__ __forceinline__ void start_block_output() {
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(output, probabilities, shared.value[value_cursor.stage]);
    matrix_commit();
  }
  // Starts the scores of a block, then the output product of the block before; returns when the scores are there.
  __device__ __forceinline__ void start_block(int tile, Cursor key) {
    shared.key_full[key.stage].wait(key.parity);
    turns.take();
    pin(scores);
    pin(output);
    matrix_fence();
    start_block_scores(tile, key.stage);
    shared.value_full[value_cursor.stage].wait(value_cursor.parity);
    matrix_fence();
    start_block_output();
    turns.pass();
    matrix_wait<1>();
    pin(scores);
  }
  __device__ __forceinline__ void finish_block_output() {
    matrix_wait<0>();
    pin(output);
    release(shared.value_empty[value_cursor.stage]);
    value_cursor.advance();
  }

  // Hides what the 64 rows from this one on may not see in the block.
  __device__ __forceinline__ void hide(int row, int block) {
    const int first_masked_key =
        Config::kCausal ? min(params.key_rows, row + 1 + params.key_rows - params.query_rows) : params.key_rows;
    if ((block + 1) * Config::kKeyBlock > first_masked_key) {
      RowLimits(row, params.query_rows, params.key_rows, Config::kCausal).hide(scores, block * Config::kKeyBlock);
    }
  }
  template <int kFirst, int kLast>
  __device__ __forceinline__ void exponentiate(const OnlineSoftmax& softmax) {
#pragma unroll
    for (int i = kFirst; i < kLast; ++i) {
      scores[i] = exp2_in_place(fmaf(scores[i], params.scale_log2, -softmax.reference[row_of(i)]));
    }
  }
  // Scores become probabilities relative to their maximum, and what was accumulated must be multiplied by shrink.
  __device__ __forceinline__ void follow(OnlineSoftmax& softmax, float (&shrink)[2]) {
    softmax.follow_maximum(scores, Scale{params.scale_log2}, shrink);
    softmax.exponentiate(scores, Scale{params.scale_log2});
  }

  // One block of a tile, not the first. Its probabilities are relative to the maximum of an earlier block, so that
  // neither maximum nor rescaling stands between the products. Where they outgrow that, which their sum shows, the warp
  // computes its scores again (the product has overwritten nothing else) and follows the maximum.
  __device__ __forceinline__ void attend_block(int row, int block, OnlineSoftmax& softmax) {
    if constexpr (Config::kConsumers > 2) {
      asm volatile("" : "+r"(tile_count));  // so that no addresses of the queries are kept in registers that are short
    }
    start_block(tile_count, key_cursor());
    hide(row, block);
    exponentiate<0, kScores / 2>(softmax);
    finish_block_output();
    exponentiate<kScores / 2, kScores>(softmax);
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kScores; ++i) partial[i % 4] += scores[i];
    probabilities.pack_from(scores);
    const float sums[2] = {partial[0] + partial[1], partial[2] + partial[3]};
    const int key_stage = value_cursor.stage;
    if (__any_sync(~0u, !(fmaxf(sums[0], sums[1]) < kSumLimit))) {
      float shrink[2];
      compute_warp_scores<Element, Config::kHeadDim, Config::kKeyBlock>(scores, s_query(tile_count),
                                                                        shared.key[key_stage]);
      hide(row, block);
      follow(softmax, shrink);
      scale_rows(output, shrink);
      probabilities.pack_from(scores);
    } else {
      softmax.sum[0] += sums[0];
      softmax.sum[1] += sums[1];
    }
    release(shared.key_empty[key_stage]);
  }

  // Causal: the last blocks of a tile may lie beyond the diagonal for all rows of this warpgroup. Returns how many it
  // let pass; their values are still to come.
  __device__ __forceinline__ int skip_keys(int row, int& block, Cursor& key) const {
    int skipped = 0;
    if constexpr (Config::kCausal) {
      const int end = row + kTileRows + params.key_rows - params.query_rows;
#pragma unroll 1
      for (; block > 0 && block * Config::kKeyBlock >= end; --block, ++skipped) {
        shared.key_full[key.stage].wait(key.parity);
        release(shared.key_empty[key.stage]);
        key.advance();
        turns.take();
        turns.pass();
      }
    }
    return skipped;
  }
  __device__ __forceinline__ void skip_values(int count) {
#pragma unroll 1
    for (; count > 0; --count) {
      shared.value_full[value_cursor.stage].wait(value_cursor.parity);
      release(shared.value_empty[value_cursor.stage]);
      value_cursor.advance();
    }
  }

  __device__ __forceinline__ void start_first_tile(int row, int& block, OnlineSoftmax& softmax) {
    float shrink[2];
    Cursor key;
    skip_values(skip_keys(row, block, key));
    shared.key_full[key.stage].wait(key.parity);
    pin(scores);
    matrix_fence();
    start_block_scores(0, key.stage);
    matrix_wait<0>();
    pin(scores);
    release(shared.key_empty[key.stage]);
    hide(row, block);
    follow(softmax, shrink);
    probabilities.pack_from(scores);
  }

  // The first block of the next tile with the last output product of this one.
  __device__ __forceinline__ void cross_tiles(int row, int& block, OnlineSoftmax& softmax) {
    OnlineSoftmax next;
    float shrink[2];
    Cursor key = key_cursor();
    const int skipped = skip_keys(row, block, key);
    start_block(tile_count + 1, key);
    release(shared.key_empty[key.stage]);
    hide(row, block);
    follow(next, shrink);
    finish_block_output();
    skip_values(skipped);
    probabilities.pack_from(scores);
    write(softmax);
    clear_output();
    ++tile_count;
    softmax = next;
  }

  __device__ __forceinline__ void finish_last_tile(OnlineSoftmax& softmax) {
    shared.value_full[value_cursor.stage].wait(value_cursor.parity);
    pin(output);
    matrix_fence();
    start_block_output();
    matrix_wait<0>();
    pin(output);
    write(softmax);
  }

  __device__ __forceinline__ void clear_output() {
#pragma unroll
    for (int i = 0; i < kOutputs; ++i) output[i] = 0.0f;
  }

  // The tile goes out through the shared memory of its queries.
  __device__ __forceinline__ void write(OnlineSoftmax& softmax) {
    const TileWork work = shared.tile[tile_count % 2];
    const int thread = reread_thread() % kWarpgroup;
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(output, factor);
    named_barrier_sync(1 + Config::kConsumers + group, kWarpgroup);
    stage_output<Element, Config::kHeadDim>(output, s_query(tile_count));
    __syncwarp();
    auto* g_tile = static_cast<Element*>(params.g_output) + work.batch * params.output_batch_stride +
                   work.head * params.output_head_stride + first_row(work) * params.output_row_stride;
    write_staged_rows<Element, Config::kHeadDim>(s_query(tile_count), g_tile, params.output_row_stride,
                                                 params.query_rows - first_row(work), params.head_dim);
    publish_to_copy_engine();  // the queries of a later tile arrive where these rows were staged
    __syncwarp();
    release(shared.query_empty[tile_count % 2]);
    if (params.g_log_sum_exp != nullptr && thread % 4 == 0) {
      const int row = first_row(work) + thread / 32 * 16 + thread % 32 / 4;
      float* g_lse = params.g_log_sum_exp + (int64_t{work.batch} * params.query_heads + work.head) * params.query_rows;
      if (row < params.query_rows) g_lse[row] = softmax.log_sum_exp(0);
      if (row + 8 < params.query_rows) g_lse[row + 8] = softmax.log_sum_exp(1);
    }
  }
};

}  // namespace assay::attention::hopper
