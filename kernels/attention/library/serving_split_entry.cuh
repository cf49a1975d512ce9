// SPDX-License-Identifier: MIT
// A line of the tables in serving_split_d*.cu.
#pragma once

#include <type_traits>

#include "../serving/split_attention.cuh"
#include "serving_kernels.hpp"

namespace assay::attention::library {

template <typename Config>
constexpr ServingKernel serving_split_entry(const char* name) {
  return {name,
          Config::kHeadDim,
          Config::kQueryRows,
          ServingKind::split,
          std::is_same_v<typename Config::Element, bf16>,
          Config::kThreads,
          Config::kSharedBytes,
          serving::split_attention<Config>};
}

}  // namespace assay::attention::library

// Names say element type, head size, packed rows of a tile, warps of a block.
#define SERVING_SPLIT(ELEMENT, DIM, SLABS, WARPS)                                     \
  ::assay::attention::library::serving_split_entry<                                   \
      ::assay::attention::serving::SplitConfig<::assay::ELEMENT, DIM, SLABS, WARPS>>( \
      "serving_split_" #ELEMENT "_d" #DIM "_" #SLABS "x16_" #WARPS "_warps")
