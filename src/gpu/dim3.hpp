// SPDX-License-Identifier: MIT
// Sizes and positions in a launch, as CUDA counts them.
#pragma once

#include <compare>
#include <cstdint>

namespace assay::gpu {

inline constexpr int kWarpThreads = 32;  // on every GPU so far

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t volume() const { return uint64_t{x} * y * z; }
  auto operator<=>(const Dim3&) const = default;
};

}  // namespace assay::gpu
