// SPDX-License-Identifier: MIT
// The consumer of the streaming kernel of this folder: masks and capped scores by what the call and the sequence say.
#pragma once

#include "../hopper/consumer_warpgroup.cuh"
#include "band.cuh"
#include "streaming_walk.cuh"

namespace assay::attention::serving::streaming {

using namespace hopper;

template <class Config>
struct Consumer : ConsumerWarpgroup<Consumer<Config>, Config, Params> {
  using Warpgroup = ConsumerWarpgroup<Consumer<Config>, Config, Params>;
  using Warpgroup::broadcast;
  using Warpgroup::params;
  using Warpgroup::r_scores;
  using Warpgroup::shared;
  using Warpgroup::tile;
  static constexpr bool kEveryBlockHasTiles = false;
  static constexpr bool kSkipsBlocks = true;

  Scale score_scale;
  float cap_exponent;  // of Softcap

  struct Rows {
    int beside;  // the key beside the first row
    int keys;
    int first_key_block;  // of the tile

    __device__ __forceinline__ int first_block() const { return first_key_block; }
  };

  __device__ __forceinline__ bool find_next_tile(Rows& rows, int& block) const {
    const TileNumber next = tile.next();
    shared.query_full[next.buffer()].wait(next.parity());
    const TileWork& s_work = shared.work[next.buffer()];
    const int head_tile = broadcast(s_work.tile);
    if (head_tile < 0) return false;
    rows.keys = broadcast(s_work.keys);
    rows.beside = this->first_row(head_tile) + rows.keys - broadcast(s_work.queries);
    rows.first_key_block = broadcast(s_work.first_block);
    block = broadcast(s_work.last_block);
    return true;
  }

  __device__ __forceinline__ Scale scale() const { return score_scale; }

  __device__ __forceinline__ int end_of_keys(const Rows& rows) const {
    return rows.beside + kTileRows + params.window_right;
  }

  __device__ __forceinline__ void mask_first_block(const Rows& rows, int block) { mask_block(rows, block); }
  __device__ __forceinline__ void mask_block(const Rows& rows, int block) {
    cap();
    hide(rows, block);
  }

  __device__ __forceinline__ void release(Mbarrier& barrier) const {
    __syncwarp();  // what its lanes have read may be overwritten by threads, not by TMA alone
    if (threadIdx.x % 32 == 0) barrier.arrive();
  }

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
    this->stage_tile(softmax);
    release(shared.output_full[tile.buffer()]);
    if (with_log_sum_exp && thread % 4 == 0) {
      const int row = this->first_row(work.tile) + thread / 32 * 16 + thread % 32 / 4;
      float* g_head = params.log_sum_exp + sequence_of(params, work).log_sum_exp_index(params, work.head, 0);
      this->write_log_sum_exp(softmax, g_head, row, work.queries);
    }
  }

 private:
  __device__ __forceinline__ void cap() {
    if (cap_exponent == 0.0f) return;
#pragma unroll
    for (float& score : r_scores) score = Softcap::tangent(score, cap_exponent);
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
    for (int i = 0; i < Warpgroup::kScores; ++i) {
      if (column_of(i) < first[row_of(i)] || column_of(i) >= end[row_of(i)]) r_scores[i] = -INFINITY;
    }
  }
};

}  // namespace assay::attention::serving::streaming
