// SPDX-License-Identifier: MIT
// A consumer warpgroup of the streaming kernel: 64 query rows of every tile that the block works on.
//
// Products are asynchronous (wgmma), so that a step of the loop starts two of them, S = Q K^T of its block of keys and
// O += P V of the block before, and does its softmax while the second still runs.
#pragma once

#include "schedule.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

// Ping-pong: warpgroups take turns at issuing products, so that the softmax of one runs under the products of the
// others. Named barriers: 0 is __syncthreads, then one per consumer for its turn, then one per consumer for its own
// warps.
template <class Config>
struct RingTurns {
  int group;

  __device__ void take() const { named_barrier_sync(1 + group, 2 * kWarpgroup); }
  __device__ void pass() const { named_barrier_arrive(1 + (group + 1) % Config::kConsumers, 2 * kWarpgroup); }
};

// Which tile of the block's list is worked on, by number, and where its queries lie: in one of two buffers, in turn.
struct TileNumber {
  int number = -1;  // -1: before the first

  __device__ __forceinline__ TileNumber next() const { return {number + 1}; }
  __device__ __forceinline__ bool none() const { return number < 0; }
  __device__ __forceinline__ int buffer() const { return number % 2; }
  __device__ __forceinline__ uint32_t parity() const { return static_cast<uint32_t>(number / 2 % 2); }
};

// Where the ring of values is read. Keys are read one block ahead: a block's scores start before the output product of
// the block before it.
template <int kStages>
struct KeyValueCursor {
  RingCursor<kStages> value;

  __device__ __forceinline__ RingCursor<kStages> key() const {
    RingCursor<kStages> cursor = value;
    cursor.advance();
    return cursor;
  }
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
  KeyValueCursor<Config::kStages> cursor;
  TileNumber tile;

  float r_scores[kScores];                                    // (64, key_block)
  float r_output[kOutputs];                                   // (64, head_dim)
  Probabilities<Element, Config::kKeyBlock> r_probabilities;  // (64, key_block)

  __device__ __forceinline__ void run() {
    if (group == Config::kConsumers - 1) turns.pass();
    OnlineSoftmax softmax;
    clear_output();
    int row;
    int block;
#pragma unroll 1
    while (find_next_tile(row, block)) {
      attend_first_block(row, block, softmax);
#pragma unroll 1
      while (--block >= 0) attend_block(row, block, softmax);
    }
    finish_last_tile(softmax);
    if (group == 0) turns.take();
  }

 private:
  // One block of keys and values of a tile, not its first: keys that do not exist are in the first alone.
  __device__ __forceinline__ void attend_block(int row, int block, OnlineSoftmax& softmax) {
    if constexpr (Config::kConsumers > 2) {
      asm volatile("" : "+r"(tile.number));  // so that no addresses of the queries are kept in registers that are short
    }
    multiply(tile, cursor.key());  // (64, key_block)  S = Q K^T; starts O += P V of the block before
    release(shared.key_empty[cursor.key().stage]);
    if constexpr (Config::kCausal) hide(row, block);
    float shrink[2];
    float sums[2];
    const bool moved = softmax.follow_maximum(r_scores, Scale{params.scale_log2}, shrink);  // new row max
    finish_output();                    // (64, head_dim)   O += P V is done
    make_probabilities(softmax, sums);  // S -> P
    if (moved) {
      softmax.shrink_sums(shrink);
      scale_rows(r_output, shrink);  // rescale
    }
    softmax.sum[0] += sums[0];
    softmax.sum[1] += sums[1];
  }

  // The first block of the next tile, under the last output product of the tile before, if there was one. `block`
  // becomes the one that it took: causal warpgroups skip those behind their diagonal.
  __device__ __forceinline__ void attend_first_block(int row, int& block, OnlineSoftmax& softmax) {
    const bool first = tile.none();
    OnlineSoftmax next;
    float shrink[2];  // of nothing
    Cursor key = first ? cursor.value : cursor.key();
    const int skipped = skip_keys(row, block, key);
    multiply(tile.next(), key, !first);  // (64, key_block)  S = Q K^T; starts O += P V of the tile before
    release(shared.key_empty[key.stage]);
    hide(row, block);
    next.follow_maximum(r_scores, Scale{params.scale_log2}, shrink);  // row max
    finish_output(!first);                                            // (64, head_dim)   O += P V is done
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
    start_scores_of_block(of, key.stage);  // (64, key_block)  S = Q K^T
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
    if (!has_before) return;
    release_values();
  }
  __device__ __forceinline__ void start_scores_of_block(TileNumber of, int stage) {
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(r_scores, s_query(of), shared.key[stage]);
    matrix_commit();
  }
  __device__ __forceinline__ void start_output_of_block() {
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(r_output, r_probabilities,
                                                               shared.value[cursor.value.stage]);
  }

  // ---- Softmax ----

  // Hides what the 64 rows from this one on may not see in the block.
  __device__ __forceinline__ void hide(int row, int block) {
    const int first_masked_key =
        Config::kCausal ? min(params.key_rows, row + 1 + params.key_rows - params.query_rows) : params.key_rows;
    if ((block + 1) * Config::kKeyBlock > first_masked_key) {
      RowLimits(row, params.query_rows, params.key_rows, Config::kCausal).hide(r_scores, block * Config::kKeyBlock);
    }
  }
  // Scores become probabilities relative to the reference of their row; sums are those of this thread's columns.
  __device__ __forceinline__ void make_probabilities(const OnlineSoftmax& softmax, float (&sums)[2]) {
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kScores; ++i) {
      r_scores[i] = exp2_in_place(fmaf(r_scores[i], params.scale_log2, -softmax.reference[row_of(i)]));
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
  __device__ __forceinline__ int first_row(int head_tile) const {
    return head_tile * Config::kRows + group * kTileRows;
  }
  // The lane that arrives at the barriers reads for its warp; of other lanes racecheck does not know what orders them.
  __device__ __forceinline__ static int broadcast(const int& s_value) {
    int value = 0;
    if (threadIdx.x % 32 == 0) value = s_value;
    return __shfl_sync(~0u, value, 0);
  }

  // Waits for the queries of the next tile; row and block become its first row and last key block. False: there is
  // none.
  __device__ __forceinline__ bool find_next_tile(int& row, int& block) const {
    const TileNumber next = tile.next();
    shared.query_full[next.buffer()].wait(next.parity());
    const int head_tile = broadcast(shared.work[next.buffer()].tile);
    row = first_row(head_tile);
    block = key_blocks<Config>(params, head_tile) - 1;
    return head_tile >= 0;
  }

  __device__ void release(Mbarrier& empty) const {
    if (threadIdx.x % 32 == 0) empty.arrive();
  }

  __device__ __forceinline__ void wait_for_values() { shared.value_full[cursor.value.stage].wait(cursor.value.parity); }
  __device__ __forceinline__ void release_values() {
    release(shared.value_empty[cursor.value.stage]);
    cursor.value.advance();
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
    TileWork work;
    const bool with_log_sum_exp = params.g_log_sum_exp != nullptr;
    if (with_log_sum_exp) {
      const TileWork& s_work = shared.work[tile.buffer()];
      work = {broadcast(s_work.tile), broadcast(s_work.head), broadcast(s_work.batch)};
    }
    const int thread = reread_thread() % kWarpgroup;
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(r_output, factor);
    stage_output<Element, Config::kHeadDim>(r_output, s_query(tile));
    publish_to_copy_engine();
    __syncwarp();
    release(shared.output_full[tile.buffer()]);
    if (with_log_sum_exp && thread % 4 == 0) {
      const int row = first_row(work.tile) + thread / 32 * 16 + thread % 32 / 4;
      float* g_lse = params.g_log_sum_exp + (int64_t{work.batch} * params.query_heads + work.head) * params.query_rows;
      if (row < params.query_rows) g_lse[row] = softmax.log_sum_exp(0);
      if (row + 8 < params.query_rows) g_lse[row + 8] = softmax.log_sum_exp(1);
    }
  }
};

}  // namespace assay::attention::hopper
