// SPDX-License-Identifier: MIT
// Which shared variable an address was computed from. Shared arrays lie next to each other, and an index that is too
// large reaches into the next one; what lies inside the block's shared memory is no bad address. But an address that
// was computed from one variable alone must lie in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

struct SharedRange {
  uint32_t first = 0;
  uint32_t end = 0;  // 0: not known, or of several variables
};

// For each instruction the variable that its first address was computed from, in the kernel that is launched.
std::vector<SharedRange> shared_bounds(const Program& program, const Function& function, const Function& kernel);

}  // namespace assay::vgpu
