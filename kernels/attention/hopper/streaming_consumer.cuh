// SPDX-License-Identifier: MIT
// The consumer of the streaming kernel: its tiles have the same keys for all, and a causal mask or none.
#pragma once

#include "consumer_warpgroup.cuh"
#include "schedule.cuh"

namespace assay::attention::hopper {

template <class Config>
struct StreamingConsumer : ConsumerWarpgroup<StreamingConsumer<Config>, Config, Params> {
  using Warpgroup = ConsumerWarpgroup<StreamingConsumer<Config>, Config, Params>;
  using Warpgroup::broadcast;
  using Warpgroup::params;
  using Warpgroup::shared;
  using Warpgroup::tile;
  static constexpr bool kEveryBlockHasTiles = true;
  static constexpr bool kSkipsBlocks = Config::kCausal;

  struct Rows {
    int first;

    __device__ __forceinline__ static constexpr int first_block() { return 0; }
  };

  __device__ __forceinline__ bool find_next_tile(Rows& rows, int& block) const {
    const TileNumber next = tile.next();
    if constexpr (Config::kQueryBuffers == 2) {
      shared.query_full[next.buffer()].wait(next.parity());
    } else {
      shared.query_full[this->group].wait(static_cast<uint32_t>(next.number % 2));
    }
    const int head_tile = broadcast(work_of(next).tile);
    rows.first = this->first_row(head_tile);
    block = key_blocks<Config>(params, head_tile) - 1;
    return head_tile >= 0;
  }

  __device__ __forceinline__ Scale scale() const { return {params.scale_log2}; }

  __device__ __forceinline__ int end_of_keys(const Rows& rows) const {
    return rows.first + kTileRows + params.key_rows - params.query_rows;
  }

  __device__ __forceinline__ void mask_first_block(const Rows& rows, int block) {
    const int first_masked_key =
        Config::kCausal ? min(params.key_rows, rows.first + 1 + params.key_rows - params.query_rows) : params.key_rows;
    if ((block + 1) * Config::kKeyBlock > first_masked_key) {
      RowLimits(rows.first, params.query_rows, params.key_rows, Config::kCausal)
          .hide(this->r_scores, block * Config::kKeyBlock);
    }
  }
  // Keys that do not exist are in the first block alone.
  __device__ __forceinline__ void mask_block(const Rows& rows, int block) {
    if constexpr (Config::kCausal) mask_first_block(rows, block);
  }

  __device__ void release(Mbarrier& barrier) const {
    if (threadIdx.x % 32 == 0) barrier.arrive();
  }

  __device__ __forceinline__ TileWork& work_of(TileNumber number) const {
    return shared.work[number.buffer() + (Config::kQueryBuffers == 2 ? 0 : 2 * this->group)];
  }

  __device__ __forceinline__ void write(OnlineSoftmax& softmax) {
    TileWork work;
    const bool with_log_sum_exp = params.g_log_sum_exp != nullptr;
    if (with_log_sum_exp || Config::kQueryBuffers == 1) {
      const TileWork& s_work = work_of(tile);
      work = {broadcast(s_work.tile), broadcast(s_work.head), broadcast(s_work.batch)};
    }
    if (Config::kTurns > 1 && work.head < 0) return;  // of a head that another warpgroup writes
    const int thread = reread_thread() % kWarpgroup;
    if constexpr (Config::kQueryBuffers == 2) {
      this->stage_tile(softmax);
      publish_to_copy_engine();
      __syncwarp();
      release(shared.output_full[tile.buffer()]);
    } else {
      const int row = this->first_row(work.tile);
      auto* g_tile = static_cast<typename Config::Element*>(params.g_output) + work.batch * params.output_batch_stride +
                     work.head * params.output_head_stride + row * params.output_row_stride;
      this->write_tile(softmax, g_tile, params.output_row_stride, params.query_rows - row, params.head_dim);
    }
    if (with_log_sum_exp && thread % 4 == 0) {
      const int row = this->first_row(work.tile) + thread / 32 * 16 + thread % 32 / 4;
      const int64_t head = int64_t{work.batch} * params.query_heads + work.head;
      this->write_log_sum_exp(softmax, params.g_log_sum_exp + head * params.query_rows, row, params.query_rows);
    }
  }
};

}  // namespace assay::attention::hopper
