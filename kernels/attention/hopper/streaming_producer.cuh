// SPDX-License-Identifier: MIT
// The thread of the streaming kernel that requests queries, keys and values in the order in which they are needed.
#pragma once

#include "key_value_loader.cuh"
#include "schedule.cuh"

namespace assay::attention::hopper {

template <class Config>
struct StreamingProducer {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;
  KeyValueLoader<Config> keys_and_values{shared, params};
  RingCursor<2> query_cursor;
  TileWork work;       // the tile whose keys and values are requested
  TileWork announced;  // the tile after it, whose queries are requested while this one is worked on
  int step = 1;        // in the list of tiles; start() takes the first

  // The first keys and queries.
  __device__ __forceinline__ void start() {
    announced = first_work<Config>(params);
    start_tile();
    request_queries();
  }

  __device__ __forceinline__ void run() {
    if constexpr (Config::kQueryBuffers == 2) {
      run_ahead();
    } else {
      run_tile_by_tile();
    }
  }

 private:
  // All that follows. The queries of the next tile are requested while this one is worked on.
  __device__ __forceinline__ void run_ahead() {
    while (work.tile >= 0) {
      const int last_block = key_blocks<Config>(params, work.tile) - 1;
      // The buffer is free when the tile before has been written. A causal warpgroup may need as many key blocks as
      // there are stages before it gets there.
      const int announce = max(0, last_block - (Config::kCausal ? Config::kStages : 1));
      find_tile();
#pragma unroll 1
      for (int block = last_block; block >= 0; --block) {
        if (block > 0) load_key(block - 1);
        load_value(block);
        if (block == announce) request_queries();
      }
      start_tile();
    }
  }

  // The same with one buffer: queries follow when the last scores of the tile before are there, which need all of its
  // keys and all but the last of its values. The first keys of the next tile do not wait for that.
  __device__ __forceinline__ void run_tile_by_tile() {
    while (work.tile >= 0) {
      const int last_block = key_blocks<Config>(params, work.tile) - 1;
      find_tile();
#pragma unroll 1
      for (int block = last_block; block >= 0; --block) {
        if (block > 0) load_key(block - 1);
        load_value(block);
      }
      start_tile();
      request_queries();
    }
  }

  __device__ __forceinline__ void find_tile() {
    while (next_work<Config>(params, step++, announced) && announced.tile < 0) {
    }
  }
  __device__ __forceinline__ void start_tile() {
    work = announced;
    if (work.tile >= 0) load_key(key_blocks<Config>(params, work.tile) - 1);
  }
  __device__ __forceinline__ void request_queries() {
    if constexpr (Config::kQueryBuffers == 1) {
#pragma unroll 1
      for (int group = 0; group < Config::kConsumers; ++group) request_queries_of(group);
      query_cursor.advance();
      return;
    }
    const int buffer = query_cursor.stage;
    Mbarrier& full = shared.query_full[buffer];
    shared.query_empty[buffer].wait(query_cursor.parity ^ 1);
    query_cursor.advance();
    shared.work[buffer] = announced;
    if (announced.tile < 0) {
      full.arrive();
      return;
    }
    full.expect_bytes(Config::kRows * Config::kStoredColumns * sizeof(Element));
#pragma unroll
    for (int group = 0; group < Config::kConsumers; ++group) {
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        load_tile(shared.query[buffer][group] + panel * kTileRows * kPanelColumns, params.query,
                  {panel * kPanelColumns, announced.tile * Config::kRows + group * kTileRows, announced.head,
                   announced.batch},
                  full);
      }
    }
  }

  // One buffer: the parity of its barriers changes with every tile.
  __device__ __forceinline__ void request_queries_of(int group) {
    Mbarrier& full = shared.query_full[group];
    shared.query_empty[group].wait(static_cast<uint32_t>(query_cursor.stage) ^ 1);
    shared.work[2 * group + query_cursor.stage] = announced;
    if (announced.tile < 0) {
      full.arrive();
      return;
    }
    full.expect_bytes(kTileRows * Config::kStoredColumns * sizeof(Element));
#pragma unroll
    for (int panel = 0; panel < Config::kPanels; ++panel) {
      load_tile(
          shared.query[0][group] + panel * kTileRows * kPanelColumns, params.query,
          {panel * kPanelColumns, announced.tile * Config::kRows + group * kTileRows, announced.head, announced.batch},
          full);
    }
  }

  __device__ __forceinline__ void load_key(int block) { keys_and_values.load_key(block, work.head, work.batch); }
  __device__ __forceinline__ void load_value(int block) { keys_and_values.load_value(block, work.head, work.batch); }
};

}  // namespace assay::attention::hopper
