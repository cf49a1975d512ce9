// SPDX-License-Identifier: MIT
// A line of the tables in serving_tiles_d*.cu.
#pragma once

#include <type_traits>

#include "../serving/tile_attention.cuh"
#include "serving_kernels.hpp"

namespace assay::attention::library {

template <typename Config>
constexpr ServingKernel serving_tiles_entry(const char* name) {
  return {name,
          Config::kHeadDim,
          Config::kQueryRows,
          ServingKind::tiles,
          std::is_same_v<typename Config::Element, bf16>,
          Config::kThreads,
          Config::kSharedBytes,
          serving::tile_attention<Config>};
}

}  // namespace assay::attention::library

// Names say element type, head size, query rows x keys of a block, stages.
#define SERVING_TILES(ELEMENT, DIM, ROWS, KEYS, STAGES)                                    \
  ::assay::attention::library::serving_tiles_entry<                                        \
      ::assay::attention::serving::TileConfig<::assay::ELEMENT, DIM, ROWS, KEYS, STAGES>>( \
      "serving_tiles_" #ELEMENT "_d" #DIM "_" #ROWS "x" #KEYS "x" #STAGES)
