// SPDX-License-Identifier: MIT
// A line of the tables in serving_streaming_d*.cu.
#pragma once

#include <type_traits>

#include "../../primitives/element.cuh"
#include "../serving/streaming.cuh"
#include "serving_kernels.hpp"

namespace assay::attention::library {

template <typename Config>
constexpr ServingKernel serving_streaming_entry(const char* name) {
  return {name,
          Config::kHeadDim,
          Config::kRows,
          ServingKind::streaming,
          std::is_same_v<typename Config::Element, bf16>,
          Config::kThreads,
          static_cast<int>(sizeof(typename Config::Shared)),
          serving::streaming::streaming_attention<Config>};
}

}  // namespace assay::attention::library

// Names say element type and head size; tiles have 128 queries.
#define SERVING_STREAMING(ELEMENT, DIM, KEYS, STAGES)                                       \
  ::assay::attention::library::serving_streaming_entry<                                     \
      ::assay::attention::serving::streaming::Config<::assay::ELEMENT, DIM, KEYS, STAGES>>( \
      "serving_streaming_" #ELEMENT "_d" #DIM)
