// SPDX-License-Identifier: MIT
// Requests blocks of keys and values of a head by TMA, each into the next stage of its ring.
#pragma once

#include "params.hpp"
#include "tensor_copy.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

template <class Config>
struct KeyValueLoader {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;
  RingCursor<Config::kStages> key_cursor;
  RingCursor<Config::kStages> value_cursor;

  // `head`: of the queries.
  __device__ __forceinline__ void load_key(int block, int head, int batch) {
    shared.key_empty[key_cursor.stage].wait(key_cursor.parity ^ 1);
    load_block(shared.key[key_cursor.stage], params.key, block, head, batch, shared.key_full[key_cursor.stage]);
    key_cursor.advance();
  }
  __device__ __forceinline__ void load_value(int block, int head, int batch) {
    shared.value_empty[value_cursor.stage].wait(value_cursor.parity ^ 1);
    load_block(shared.value[value_cursor.stage], params.value, block, head, batch,
               shared.value_full[value_cursor.stage]);
    value_cursor.advance();
  }

 private:
  __device__ __forceinline__ void load_block(Element* s_block, const CUtensorMap& map, int block, int head, int batch,
                                             Mbarrier& full) {
    full.expect_bytes(Config::kKeyBlock * Config::kStoredColumns * sizeof(Element));
#pragma unroll
    for (int panel = 0; panel < Config::kPanels; ++panel) {
      load_tile(s_block + panel * Config::kKeyBlock * kPanelColumns, map,
                {panel * kPanelColumns, block * Config::kKeyBlock, head / params.heads_per_key_head, batch}, full);
    }
  }
};

}  // namespace assay::attention::hopper
