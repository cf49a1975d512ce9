// SPDX-License-Identifier: MIT
// A consumer warpgroup of the streaming kernel: 64 query rows of every tile that the block works on. As
// ../hopper/streaming_consumer.cuh, with masks and capped scores by what the call and the sequence say.
#pragma once

#include "../hopper/streaming_consumer.cuh"
#include "band.cuh"
#include "streaming_walk.cuh"

namespace assay::attention::serving::streaming {

using namespace hopper;

template <class Config>
struct Consumer {
  using Element = typename Config::Element;
  using Cursor = RingCursor<Config::kStages>;
  static constexpr int kScores = Config::kKeyBlock / 2;
  static constexpr int kOutputs = Config::kHeadDim / 2;

  typename Config::Shared& shared;
  const Params& params;
  int group;
  Scale scale;
  float cap_exponent;  // of Softcap
  RingTurns<Config> turns;
  KeyValueCursor<Config::kStages> cursor;
  TileNumber tile;

  float r_scores[kScores];                                    // (64, key_block)
  float r_output[kOutputs];                                   // (64, head_dim)
  Probabilities<Element, Config::kKeyBlock> r_probabilities;  // (64, key_block)

  __device__ __forceinline__ void run() {
    if (group == Config::kConsumers - 1) turns.pass();
    OnlineSoftmax softmax;
    clear_output();
    Rows rows;
    int block;
#pragma unroll 1
    while (find_next_tile(rows, block)) {
      attend_first_block(rows, block, softmax);
#pragma unroll 1
      while (--block >= rows.first_block) attend_block(rows, block, softmax);
    }
    if (!tile.none()) finish_last_tile(softmax);
    if (group == 0) turns.take();
  }

 private:
  // What the 64 rows of this warpgroup see.
  struct Rows {
    int beside;  // the key beside the first row
    int keys;
    int first_block;  // of the tile
  };

  // One block of keys and values of a tile, not its first.
  __device__ __forceinline__ void attend_block(const Rows& rows, int block, OnlineSoftmax& softmax) {
    multiply(tile, cursor.key());  // (64, key_block)  S = Q K^T; starts O += P V of the block before
    release(shared.key_empty[cursor.key().stage]);
    cap();
    hide(rows, block);
    float shrink[2];
    float sums[2];
    const bool moved = softmax.follow_maximum(r_scores, scale, shrink);  // new row max
    finish_output();                                                     // (64, head_dim)   O += P V is done
    make_probabilities(softmax, sums);                                   // S -> P
    if (moved) {
      softmax.shrink_sums(shrink);
      scale_rows(r_output, shrink);  // rescale
    }
    softmax.sum[0] += sums[0];
    softmax.sum[1] += sums[1];
  }

  // The first block of the next tile, under the last output product of the tile before, if there was one. `block`
  // becomes the one that it took: warpgroups skip those behind all that their rows see.
  __device__ __forceinline__ void attend_first_block(const Rows& rows, int& block, OnlineSoftmax& softmax) {
    const bool first = tile.none();
    OnlineSoftmax next;
    float shrink[2];  // of nothing
    Cursor key = first ? cursor.value : cursor.key();
    const int skipped = skip_keys(rows, block, key);
    multiply(tile.next(), key, !first);  // (64, key_block)  S = Q K^T; starts O += P V of the tile before
    release(shared.key_empty[key.stage]);
    cap();
    hide(rows, block);
    next.follow_maximum(r_scores, scale, shrink);  // row max
    finish_output(!first);                         // (64, head_dim)   O += P V is done
    skip_values(skipped);
    make_probabilities(next, next.sum);  // S -> P
    if (!first) write(softmax);
    clear_output();
    tile = tile.next();
    softmax = next;
  }

  __device__ __forceinline__ void finish_last_tile(OnlineSoftmax& softmax) {
    wait_for_values();
    pin(r_output);
    matrix_fence();
    start_output_of_block();  // (64, head_dim)   O += P V
    matrix_commit();
    matrix_wait<0>();
    pin(r_output);
    named_barrier_sync(1 + Config::kConsumers + group, kWarpgroup);  // all its warps are done with the queries
    write(softmax);
  }

  // ---- Products ----

  // Starts the scores of a block, then the output product of the block before it, if there was one. Returns when the
  // scores are there.
  __device__ __forceinline__ void multiply(TileNumber of, Cursor key, bool has_before = true) {
    shared.key_full[key.stage].wait(key.parity);
    turns.take();
    pin(r_scores);
    pin(r_output);
    matrix_fence();
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(r_scores, s_query(of), shared.key[key.stage]);
    matrix_commit();
    if (has_before) {
      wait_for_values();
      matrix_fence();
      start_output_of_block();  // (64, head_dim)   O += P V
      matrix_commit();
      turns.pass();
      matrix_wait<1>();
    } else {
      turns.pass();
      matrix_wait<0>();
    }
    pin(r_scores);
  }
  __device__ __forceinline__ void finish_output(bool has_before = true) {
    matrix_wait<0>();
    pin(r_output);
    if (has_before) release_values();
  }
  __device__ __forceinline__ void start_output_of_block() {
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(r_output, r_probabilities,
                                                               shared.value[cursor.value.stage]);
  }

  // ---- Softmax ----

  __device__ __forceinline__ void cap() {
    if (cap_exponent == 0.0f) return;
#pragma unroll
    for (int i = 0; i < kScores; ++i) {
      r_scores[i] = 1.0f - 2.0f * reciprocal(1.0f + exp2_special(r_scores[i] * cap_exponent));
    }
  }

  // Hides what the rows may not see in the block, if there is something.
  __device__ __forceinline__ void hide(const Rows& rows, int block) {
    const int first_key = block * Config::kKeyBlock;
    const int seen_by_all_from = rows.beside + kTileRows - 1 - params.window_left;
    const int seen_by_all_to = min(rows.keys, rows.beside + params.window_right + 1);
    if (first_key >= seen_by_all_from && first_key + Config::kKeyBlock <= seen_by_all_to) return;
    const int thread = reread_thread();
    const int column = first_key + 2 * (thread % 4);
    const int beside = rows.beside + thread % kWarpgroup / 32 * 16 + thread % 32 / 4;
    int first[2];
    int end[2];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      first[row] = beside + 8 * row - params.window_left - column;
      end[row] = min(rows.keys, beside + 8 * row + params.window_right + 1) - column;
    }
#pragma unroll
    for (int i = 0; i < kScores; ++i) {
      if (column_of(i) < first[row_of(i)] || column_of(i) >= end[row_of(i)]) r_scores[i] = -INFINITY;
    }
  }

  // Scores become probabilities relative to the reference of their row; sums are those of this thread's columns.
  __device__ __forceinline__ void make_probabilities(const OnlineSoftmax& softmax, float (&sums)[2]) {
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kScores; ++i) {
      r_scores[i] = exp2_in_place(fmaf(r_scores[i], scale.log2, -softmax.reference[row_of(i)]));
      partial[i % 4] += r_scores[i];
    }
    sums[0] = partial[0] + partial[1];
    sums[1] = partial[2] + partial[3];
    asm volatile(""
                 : "+f"(sums[0]), "+f"(sums[1]));  // the additions belong between the exponentials, not after a branch
    r_probabilities.pack_from(r_scores);
  }

  // ---- Tiles and rings ----

  __device__ __forceinline__ Element* s_query(TileNumber of) const { return shared.query[of.buffer()][group]; }

  // The lane that arrives at the barriers reads for its warp; of other lanes racecheck does not know what orders them.
  __device__ __forceinline__ static int broadcast(const int& s_value) {
    int value = 0;
    if (threadIdx.x % 32 == 0) value = s_value;
    return __shfl_sync(~0u, value, 0);
  }

  // Waits for the queries of the next tile; `block` becomes its last block of keys. False: there is none.
  __device__ __forceinline__ bool find_next_tile(Rows& rows, int& block) const {
    const TileNumber next = tile.next();
    shared.query_full[next.buffer()].wait(next.parity());
    const TileWork& s_work = shared.work[next.buffer()];
    const int head_tile = broadcast(s_work.tile);
    if (head_tile < 0) return false;
    rows.keys = broadcast(s_work.keys);
    rows.beside = head_tile * Config::kRows + group * kTileRows + rows.keys - broadcast(s_work.queries);
    rows.first_block = broadcast(s_work.first_block);
    block = broadcast(s_work.last_block);
    return true;
  }

  __device__ __forceinline__ void release(Mbarrier& empty) const {
    __syncwarp();  // what its lanes have read may be overwritten by threads, not by TMA alone
    if (threadIdx.x % 32 == 0) empty.arrive();
  }

  __device__ __forceinline__ void wait_for_values() { shared.value_full[cursor.value.stage].wait(cursor.value.parity); }
  __device__ __forceinline__ void release_values() {
    release(shared.value_empty[cursor.value.stage]);
    cursor.value.advance();
  }

  // The last blocks of a tile may lie behind what all rows of this warpgroup see. Returns how many it let pass; their
  // values are still to come.
  __device__ __forceinline__ int skip_keys(const Rows& rows, int& block, Cursor& key) const {
    int skipped = 0;
    const int end = rows.beside + kTileRows + params.window_right;
#pragma unroll 1
    for (; block > rows.first_block && block * Config::kKeyBlock >= end; --block, ++skipped) {
      shared.key_full[key.stage].wait(key.parity);
      release(shared.key_empty[key.stage]);
      key.advance();
      turns.take();
      turns.pass();
    }
    return skipped;
  }
  __device__ __forceinline__ void skip_values(int count) {
#pragma unroll 1
    for (; count > 0; --count) {
      wait_for_values();
      release_values();
    }
  }

  // ---- Output ----

  __device__ __forceinline__ void clear_output() {
#pragma unroll
    for (int i = 0; i < kOutputs; ++i) r_output[i] = 0.0f;
  }

  // The tile goes out through the shared memory of its queries, with which all warps of the group are done.
  __device__ __forceinline__ void write(OnlineSoftmax& softmax) {
    TileWork work{};
    const bool with_log_sum_exp = params.log_sum_exp != nullptr;
    if (with_log_sum_exp) {
      const TileWork& s_work = shared.work[tile.buffer()];
      work.tile = broadcast(s_work.tile);
      work.head = broadcast(s_work.head);
      work.batch = broadcast(s_work.batch);
      work.first_query = broadcast(s_work.first_query);
      work.queries = broadcast(s_work.queries);
    }
    const int thread = reread_thread() % kWarpgroup;
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(r_output, factor);
    stage_output<Element, Config::kHeadDim>(r_output, s_query(tile));
    release(shared.output_full[tile.buffer()]);
    if (with_log_sum_exp && thread % 4 == 0) {
      const int row = work.tile * Config::kRows + group * kTileRows + thread / 32 * 16 + thread % 32 / 4;
      float* g_lse = params.log_sum_exp + sequence_of(params, work).log_sum_exp_index(params, work.head, 0);
      if (row < work.queries) g_lse[row] = softmax.log_sum_exp(0);
      if (row + 8 < work.queries) g_lse[row + 8] = softmax.log_sum_exp(1);
    }
  }
};

}  // namespace assay::attention::serving::streaming
