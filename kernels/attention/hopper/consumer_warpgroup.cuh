// SPDX-License-Identifier: MIT
// A consumer warpgroup of a streaming kernel: 64 query rows of every tile that the block works on.
//
// Products are asynchronous (wgmma), so that a step of the loop starts two of them, S = Q K^T of its block of keys and
// O += P V of the block before, and does its softmax while the second still runs.
//
// Kernels differ in where tiles come from and in what their rows see. A kernel's consumer derives from this one and has
//   Rows                           what the 64 rows of the warpgroup see; first_block(): of keys
//   kEveryBlockHasTiles            no block of the grid is without a tile
//   kBlockStep                     from a block of keys that the warpgroup takes to its next (here 1)
//   last_to_wait()                 the warpgroup whose turn to issue products would be next at the end (here 0)
//   find_next_tile(rows, block)    waits for the queries of the next tile; `block` becomes its last block of keys
//   mask_first_block(rows, block)  scores of what the rows may not see become -inf, in the first block of a tile
//   mask_block(rows, block)        the same in the others
//   end_of_keys(rows)              the first key that no row sees
//   scale()                        of scores
//   release(barrier)               the warp is done with what the barrier guards
//   write(softmax)                 the tile is finished
//
// Config::kTurns: 1, every warpgroup takes all key blocks that come through the ring; 2, they take them in turns.
#pragma once

#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

// Ping-pong: one warpgroup at a time issues products, so that the softmax of one runs under the products of the
// others. Named barriers: 0 is __syncthreads, then one per consumer to issue, then one per consumer for its own
// warps.
template <class Config>
struct PingPong {
  int group;

  __device__ void wait() const { named_barrier_sync(1 + group, 2 * kWarpgroup); }
  __device__ void pass() const { named_barrier_arrive(1 + (group + 1) % Config::kConsumers, 2 * kWarpgroup); }
};

// Which tile of the block's list is worked on, by number, and where its queries lie: in buffer 0 or 1.
struct TileNumber {
  int number = -1;  // -1: before the first

  __device__ __forceinline__ TileNumber next() const { return {number + 1}; }
  __device__ __forceinline__ bool none() const { return number < 0; }
  __device__ __forceinline__ int buffer() const { return number % 2; }
  __device__ __forceinline__ uint32_t parity() const { return static_cast<uint32_t>(number / 2 % 2); }
};

// Where the ring of values is read. Keys are read one block ahead: a block's scores start before the output product of
// the block before it. kTurns: from a block of a warpgroup to its next.
template <int kStages, int kTurns>
struct KeyValueCursor {
  RingCursor<kStages> value;

  __device__ __forceinline__ RingCursor<kStages> key() const {
    RingCursor<kStages> cursor = value;
    skip(cursor);
    return cursor;
  }
  __device__ __forceinline__ void advance() { skip(value); }

 private:
  __device__ __forceinline__ static void skip(RingCursor<kStages>& cursor) {
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) cursor.advance();
  }
};

template <class Kernel, class Config, class Params>
struct ConsumerWarpgroup {
  using Element = typename Config::Element;
  using Cursor = RingCursor<Config::kStages>;
  static constexpr int kScores = Config::kKeyBlock / 2;
  static constexpr int kOutputs = Config::kHeadDim / 2;

  typename Config::Shared& shared;
  const Params& params;
  int group;
  PingPong<Config> ping_pong;
  KeyValueCursor<Config::kStages, Config::kTurns> cursor;
  TileNumber tile;

  float r_scores[kScores];                                    // (64, key_block)
  float r_output[kOutputs];                                   // (64, head_dim)
  Probabilities<Element, Config::kKeyBlock> r_probabilities;  // (64, key_block)

  __device__ __forceinline__ void run() {
    if (group == Config::kConsumers - 1) ping_pong.pass();
    OnlineSoftmax softmax;
    clear_output();
    typename Kernel::Rows rows;
    int block;
#pragma unroll 1
    while (kernel().find_next_tile(rows, block)) {
      attend_first_block(rows, block, softmax);
#pragma unroll 1
      while ((block -= Kernel::kBlockStep) >= rows.first_block()) attend_block(rows, block, softmax);
    }
    if (Kernel::kEveryBlockHasTiles || !tile.none()) finish_last_tile(softmax);
    if (group == kernel().last_to_wait()) ping_pong.wait();
  }

  static constexpr int kBlockStep = 1;
  __device__ __forceinline__ static constexpr int last_to_wait() { return 0; }

  // One block of keys and values of a tile, not its first.
  template <class Rows>
  __device__ __forceinline__ void attend_block(const Rows& rows, int block, OnlineSoftmax& softmax) {
    if constexpr (Config::kConsumers > 2) {
      asm volatile("" : "+r"(tile.number));  // so that no addresses of the queries are kept in registers that are short
    }
    multiply(tile, cursor.key());  // (64, key_block)  S = Q K^T; starts O += P V of the block before
    kernel().release(shared.key_empty[cursor.key().stage]);
    release_queries(block - Kernel::kBlockStep < rows.first_block());
    kernel().mask_block(rows, block);
    float shrink[2];
    float sums[2];
    const bool moved = softmax.follow_maximum(r_scores, kernel().scale(), shrink);  // new row max
    finish_output();                                                                // (64, head_dim)   O += P V is done
    make_probabilities(softmax, sums);                                              // S -> P
    if (moved) {
      softmax.shrink_sums(shrink);
      scale_rows(r_output, shrink);  // rescale
    }
    softmax.sum[0] += sums[0];
    softmax.sum[1] += sums[1];
  }

  // The first block of the next tile, under the last output product of the tile before, if there was one. `block`
  // becomes the one that it took: warpgroups skip those behind all that their rows see.
  template <class Rows>
  __device__ __forceinline__ void attend_first_block(const Rows& rows, int& block, OnlineSoftmax& softmax) {
    const bool first = tile.none();
    OnlineSoftmax next;
    float shrink[2];  // of nothing
    Cursor key = first ? cursor.value : cursor.key();
    const int skipped = skip_keys(rows, block, key);
    multiply(tile.next(), key, !first);  // (64, key_block)  S = Q K^T; starts O += P V of the tile before
    kernel().release(shared.key_empty[key.stage]);
    kernel().mask_first_block(rows, block);
    next.follow_maximum(r_scores, kernel().scale(), shrink);  // row max
    finish_output(!first);                                    // (64, head_dim)   O += P V is done
    skip_values(skipped);
    make_probabilities(next, next.sum);  // S -> P
    if (!first) kernel().write(softmax);
    clear_output();
    tile = tile.next();
    softmax = next;
    release_queries(block - Kernel::kBlockStep <
                    rows.first_block());  // behind write(), which reads what the next tile's overwrite
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
    kernel().write(softmax);
  }

  // ---- Products ----

  // Starts the scores of a block, then the output product of the block before it, if there was one. Returns when the
  // scores are there.
  __device__ __forceinline__ void multiply(TileNumber of, Cursor key, bool has_before = true) {
    shared.key_full[key.stage].wait(key.parity);
    ping_pong.wait();
    pin(r_scores);
    pin(r_output);
    matrix_fence();
    start_scores_of_block(of, key.stage);  // (64, key_block)  S = Q K^T
    matrix_commit();
    if (has_before) {
      wait_for_values();
      matrix_fence();
      start_output_of_block();  // (64, head_dim)   O += P V
      matrix_commit();
      ping_pong.pass();
      matrix_wait<1>();
    } else {
      ping_pong.pass();
      matrix_wait<0>();
    }
    pin(r_scores);
  }
  __device__ __forceinline__ void finish_output(bool has_before = true) {
    matrix_wait<0>();
    pin(r_output);
    if (has_before) release_values();
  }
  __device__ __forceinline__ void start_scores_of_block(TileNumber of, int stage) {
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(r_scores, s_query(of), shared.key[stage]);
  }
  __device__ __forceinline__ void start_output_of_block() {
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(r_output, r_probabilities,
                                                               shared.value[cursor.value.stage]);
  }

  // ---- Softmax ----

  // Scores become probabilities relative to the reference of their row; sums are those of this thread's columns.
  __device__ __forceinline__ void make_probabilities(const OnlineSoftmax& softmax, float (&sums)[2]) {
    float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int i = 0; i < kScores; ++i) {
      r_scores[i] = exp2_in_place(fmaf(r_scores[i], kernel().scale().log2, -softmax.reference[row_of(i)]));
      partial[i % 4] += r_scores[i];
    }
    sums[0] = partial[0] + partial[1];
    sums[1] = partial[2] + partial[3];
    asm volatile(""
                 : "+f"(sums[0]), "+f"(sums[1]));  // the additions belong between the exponentials, not after a branch
    r_probabilities.pack_from(r_scores);
  }

  // ---- Tiles and rings ----

  __device__ __forceinline__ Element* s_query(TileNumber of) const {
    return shared.query[Config::kQueryBuffers == 2 ? of.buffer() : 0][group];
  }
  // One buffer: the last scores of a tile are there.
  __device__ __forceinline__ void release_queries(bool last_block) const {
    if constexpr (Config::kQueryBuffers == 1) {
      if (last_block) kernel().release(shared.query_empty[group]);
    }
  }

  // Of a tile of the block, the first row that is this warpgroup's.
  __device__ __forceinline__ int first_row(int head_tile) const {
    return head_tile * Config::kRows + (Config::kTurns > 1 ? 0 : group * kTileRows);
  }

  // The lane that arrives at the barriers reads for its warp; of other lanes racecheck does not know what orders them.
  __device__ __forceinline__ static int broadcast(const int& s_value) {
    int value = 0;
    if (threadIdx.x % 32 == 0) value = s_value;
    return __shfl_sync(~0u, value, 0);
  }

  __device__ __forceinline__ void wait_for_values() { shared.value_full[cursor.value.stage].wait(cursor.value.parity); }
  __device__ __forceinline__ void release_values() {
    kernel().release(shared.value_empty[cursor.value.stage]);
    cursor.advance();
  }

  // The last blocks of a tile may lie behind what all rows of this warpgroup see. Returns how many it let pass; their
  // values are still to come.
  template <class Rows>
  __device__ __forceinline__ int skip_keys(const Rows& rows, int& block, Cursor& key) {
    int skipped = 0;
    if constexpr (Kernel::kSkipsBlocks) {
      const int end = kernel().end_of_keys(rows);
#pragma unroll 1
      for (; block > rows.first_block() && block * Config::kKeyBlock >= end; --block, ++skipped) {
        shared.key_full[key.stage].wait(key.parity);
        kernel().release(shared.key_empty[key.stage]);
        key.advance();
        ping_pong.wait();
        ping_pong.pass();
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

  // The tile goes to the shared memory of its queries, with which all warps of the group are done.
  __device__ __forceinline__ void stage_tile(OnlineSoftmax& softmax) {
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(r_output, factor);
    stage_output<Element, Config::kHeadDim>(r_output, s_query(tile));
  }

  // The tile goes to global memory, `rows` of its rows.
  __device__ __forceinline__ void write_tile(OnlineSoftmax& softmax, Element* g_tile, int64_t row_stride, int rows,
                                             int columns) {
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(r_output, factor);
    write_output<Element, Config::kHeadDim>(r_output, g_tile, row_stride, rows, columns);
  }

  // Rows of this thread, the first of which is `row`, of the `rows` of a head.
  __device__ __forceinline__ static void write_log_sum_exp(const OnlineSoftmax& softmax, float* g_head, int row,
                                                           int rows) {
    if (row < rows) g_head[row] = softmax.log_sum_exp(0);
    if (row + 8 < rows) g_head[row + 8] = softmax.log_sum_exp(1);
  }

 private:
  __device__ __forceinline__ Kernel& kernel() { return static_cast<Kernel&>(*this); }
  __device__ __forceinline__ const Kernel& kernel() const { return static_cast<const Kernel&>(*this); }
};

}  // namespace assay::attention::hopper
