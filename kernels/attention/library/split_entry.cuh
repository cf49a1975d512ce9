// SPDX-License-Identifier: MIT
// A line of the tables in split_d*.cu.
#pragma once

#include <type_traits>

#include "../split_keys/split_keys.cuh"
#include "split_kernels.hpp"

namespace assay::attention::library {

template <typename Config>
constexpr SplitKernel split_entry(const char* name) {
  return {name,
          Config::kHeadDim,
          Config::kSlabs,
          Config::kWarps,
          std::is_same_v<typename Config::Element, bf16>,
          Config::kSharedBytes,
          split_keys::split_keys_attention<Config>};
}

}  // namespace assay::attention::library

// Names say element type, head size, packed rows of a tile, warps of a block.
#define SPLIT_ENTRY(ELEMENT, DIM, SLABS, WARPS)                                          \
  ::assay::attention::library::split_entry<                                              \
      ::assay::attention::split_keys::SplitConfig<::assay::ELEMENT, DIM, SLABS, WARPS>>( \
      "split_keys_" #ELEMENT "_d" #DIM "_" #SLABS "x16_" #WARPS "_warps")
