// SPDX-License-Identifier: MIT
// The thread of the streaming kernel that requests queries, keys and values in the order in which they are needed.
#pragma once

#include "schedule.cuh"
#include "tensor_copy.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

template <class Config>
struct StreamingProducer {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;
  RingCursor<Config::kStages> key_cursor;
  RingCursor<Config::kStages> value_cursor;
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

  __device__ __forceinline__ void load_block(Element* s_block, const CUtensorMap& map, int block, Mbarrier& full) {
    full.expect_bytes(Config::kKeyBlock * Config::kStoredColumns * sizeof(Element));
#pragma unroll
    for (int panel = 0; panel < Config::kPanels; ++panel) {
      load_tile(s_block + panel * Config::kKeyBlock * kPanelColumns, map,
                {panel * kPanelColumns, block * Config::kKeyBlock, work.head / params.heads_per_key_head, work.batch},
                full);
    }
  }
  __device__ __forceinline__ void load_key(int block) {
    shared.key_empty[key_cursor.stage].wait(key_cursor.parity ^ 1);
    load_block(shared.key[key_cursor.stage], params.key, block, shared.key_full[key_cursor.stage]);
    key_cursor.advance();
  }
  __device__ __forceinline__ void load_value(int block) {
    shared.value_empty[value_cursor.stage].wait(value_cursor.parity ^ 1);
    load_block(shared.value[value_cursor.stage], params.value, block, shared.value_full[value_cursor.stage]);
    value_cursor.advance();
  }
};

}  // namespace assay::attention::hopper
