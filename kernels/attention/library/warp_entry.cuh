// SPDX-License-Identifier: MIT
// A line of the tables in warp_d*.cu.
#pragma once

#include <type_traits>

#include "warp_attention.cuh"
#include "warp_kernels.hpp"

namespace assay::attention::library {

template <typename Config>
constexpr WarpKernel warp_entry(const char* name) {
  return {name,
          Config::kHeadDim,
          Config::kQueryRows,
          std::is_same_v<typename Config::Element, bf16>,
          Config::kThreads,
          Config::kSharedBytes,
          warp_attention<Config>};
}

}  // namespace assay::attention::library

// Names say element type, head size, query rows x keys of a block, stages.
#define WARP_ENTRY(ELEMENT, DIM, ROWS, KEYS, STAGES)                                       \
  ::assay::attention::library::warp_entry<                                                 \
      ::assay::attention::library::WarpConfig<::assay::ELEMENT, DIM, ROWS, KEYS, STAGES>>( \
      "warp_" #ELEMENT "_d" #DIM "_" #ROWS "x" #KEYS "x" #STAGES)
