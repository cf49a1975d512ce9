// SPDX-License-Identifier: MIT
// A line of the tables in split_d*.cu.
#pragma once

#include <type_traits>

#include "../split_keys/solo_warps.cuh"
#include "../split_keys/split_keys.cuh"
#include "split_kernels.hpp"

namespace assay::attention::library {

template <typename Config>
constexpr SplitKernel split_entry(const char* name, bool solo, void (*function)(split_keys::Params)) {
  return {name, Config::kHeadDim,     Config::kSlabs, Config::kWarps, std::is_same_v<typename Config::Element, bf16>,
          solo, Config::kSharedBytes, function};
}

}  // namespace assay::attention::library

// Names say element type, head size, packed rows of a tile, warps of a block.
#define SPLIT_ENTRY_OF(CONFIG, FUNCTION, SOLO, NAME, ELEMENT, DIM, SLABS, WARPS)    \
  ::assay::attention::library::split_entry<                                         \
      ::assay::attention::split_keys::CONFIG<::assay::ELEMENT, DIM, SLABS, WARPS>>( \
      "split_keys_" #ELEMENT "_d" #DIM "_" #SLABS "x16_" #WARPS NAME, SOLO,         \
      ::assay::attention::split_keys::FUNCTION<                                     \
          ::assay::attention::split_keys::CONFIG<::assay::ELEMENT, DIM, SLABS, WARPS>>)
#define SPLIT_ENTRY(ELEMENT, DIM, SLABS, WARPS) \
  SPLIT_ENTRY_OF(SplitConfig, split_keys_attention, false, "_warps", ELEMENT, DIM, SLABS, WARPS)
#define SOLO_ENTRY(ELEMENT, DIM, SLABS, WARPS) \
  SPLIT_ENTRY_OF(SoloConfig, split_keys_solo_attention, true, "_solo_warps", ELEMENT, DIM, SLABS, WARPS)
