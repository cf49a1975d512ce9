// SPDX-License-Identifier: MIT
// A warpgroup of the streaming kernel that computes: 64 query rows of every tile.
#pragma once

#include "schedule.cuh"
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
  int tile = -1;        // -1: before the first

  float scores[kScores];   // (64, key_block)
  float output[kOutputs];  // (64, head_dim)
  Probabilities<Element, Config::kKeyBlock> probabilities;

  __device__ __forceinline__ void run() {
    if (group == Config::kConsumers - 1) turns.pass();
    OnlineSoftmax softmax;
    clear_output();
    int row;
    int block;
#pragma unroll 1
    while (find_tile(tile + 1, row, block)) {
      start_tile(row, block, softmax);
#pragma unroll 1
      while (--block >= 0) attend_block(row, block, softmax);
    }
    finish_last_tile(softmax);
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
  __device__ __forceinline__ int first_row(int tile) const { return tile * Config::kRows + group * kTileRows; }
  // The lane that arrives at the barriers reads for its warp; of other lanes racecheck does not know what orders them.
  __device__ __forceinline__ static int broadcast(const int& s_value) {
    int value = 0;
    if (threadIdx.x % 32 == 0) value = s_value;
    return __shfl_sync(~0u, value, 0);
  }

  // Waits for the queries of a tile; row and block become its first row and last key block. False: there is none.
  __device__ __forceinline__ bool find_tile(int tile, int& row, int& block) const {
    shared.query_full[tile % 2].wait(tile / 2 % 2);
    const int found = broadcast(shared.tile[tile % 2].tile);
    row = first_row(found);
    block = key_blocks<Config>(params, found) - 1;
    return found >= 0;
  }

  __device__ __forceinline__ void start_block_scores(int tile, int stage) {
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(scores, s_query(tile), shared.key[stage]);
    matrix_commit();
  }
  __device__ __forceinline__ void start_block_output() {
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(output, probabilities, shared.value[value_cursor.stage]);
  }
  // Starts the scores of a block, then the output product of the block before it, if there was one; returns when the
  // scores are there.
  __device__ __forceinline__ void start_block(int tile, Cursor key, bool has_before = true) {
    shared.key_full[key.stage].wait(key.parity);
    turns.take();
    pin(scores);
    pin(output);
    matrix_fence();
    start_block_scores(tile, key.stage);
    if (has_before) {
      shared.value_full[value_cursor.stage].wait(value_cursor.parity);
      matrix_fence();
      start_block_output();
      matrix_commit();
      turns.pass();
      matrix_wait<1>();
    } else {
      turns.pass();
      matrix_wait<0>();
    }
    pin(scores);
  }
  __device__ __forceinline__ void finish_block_output(bool has_before = true) {
    matrix_wait<0>();
    pin(output);
    if (!has_before) return;
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
  // Scores become probabilities relative to the reference of their row; sums are those of this thread's columns.
  __device__ __forceinline__ void make_probabilities(const OnlineSoftmax& softmax, float (&sums)[2]) {
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kScores; ++i) {
      scores[i] = exp2_in_place(fmaf(scores[i], params.scale_log2, -softmax.reference[row_of(i)]));
      partial[i % 4] += scores[i];
    }
    sums[0] = partial[0] + partial[1];
    sums[1] = partial[2] + partial[3];
    asm volatile(""
                 : "+f"(sums[0]), "+f"(sums[1]));  // the additions belong between the exponentials, not after a branch
    probabilities.pack_from(scores);
  }

  // One block of a tile, not the first: keys that do not exist are in the first alone.
  __device__ __forceinline__ void attend_block(int row, int block, OnlineSoftmax& softmax) {
    if constexpr (Config::kConsumers > 2) {
      asm volatile("" : "+r"(tile));  // so that no addresses of the queries are kept in registers that are short
    }
    start_block(tile, key_cursor());
    release(shared.key_empty[key_cursor().stage]);
    if constexpr (Config::kCausal) hide(row, block);
    float shrink[2];
    float sums[2];
    const bool moved = softmax.follow_maximum(scores, Scale{params.scale_log2}, shrink);
    finish_block_output();
    make_probabilities(softmax, sums);
    if (moved) {
      softmax.shrink_sums(shrink);
      scale_rows(output, shrink);
    }
    softmax.sum[0] += sums[0];
    softmax.sum[1] += sums[1];
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

  // The first block of the next tile, with the last output product of the tile before if there was one.
  __device__ __forceinline__ void start_tile(int row, int& block, OnlineSoftmax& softmax) {
    const bool first = tile < 0;
    OnlineSoftmax next;
    float shrink[2];  // of nothing
    Cursor key = first ? value_cursor : key_cursor();
    const int skipped = skip_keys(row, block, key);
    start_block(tile + 1, key, !first);
    release(shared.key_empty[key.stage]);
    hide(row, block);
    next.follow_maximum(scores, Scale{params.scale_log2}, shrink);
    finish_block_output(!first);
    skip_values(skipped);
    make_probabilities(next, next.sum);
    if (!first) write(softmax);
    clear_output();
    ++tile;
    softmax = next;
  }

  __device__ __forceinline__ void finish_last_tile(OnlineSoftmax& softmax) {
    shared.value_full[value_cursor.stage].wait(value_cursor.parity);
    pin(output);
    matrix_fence();
    start_block_output();
    matrix_commit();
    matrix_wait<0>();
    pin(output);
    named_barrier_sync(1 + Config::kConsumers + group, kWarpgroup);  // all its warps are done with the queries
    write(softmax);
  }

  __device__ __forceinline__ void clear_output() {
#pragma unroll
    for (int i = 0; i < kOutputs; ++i) output[i] = 0.0f;
  }

  // The tile goes out through the shared memory of its queries, with which all warps of the group are done.
  __device__ __forceinline__ void write(OnlineSoftmax& softmax) {
    TileWork work;
    const bool with_log_sum_exp = params.g_log_sum_exp != nullptr;
    if (with_log_sum_exp) {
      const TileWork& s_work = shared.tile[tile % 2];
      work = {broadcast(s_work.tile), broadcast(s_work.head), broadcast(s_work.batch)};
    }
    const int thread = reread_thread() % kWarpgroup;
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(output, factor);
    stage_output<Element, Config::kHeadDim>(output, s_query(tile));
    publish_to_copy_engine();
    __syncwarp();
    release(shared.output_full[tile % 2]);
    if (with_log_sum_exp && thread % 4 == 0) {
      const int row = first_row(work.tile) + thread / 32 * 16 + thread % 32 / 4;
      float* g_lse = params.g_log_sum_exp + (int64_t{work.batch} * params.query_heads + work.head) * params.query_rows;
      if (row < params.query_rows) g_lse[row] = softmax.log_sum_exp(0);
      if (row + 8 < params.query_rows) g_lse[row + 8] = softmax.log_sum_exp(1);
    }
  }
};

}  // namespace assay::attention::hopper
