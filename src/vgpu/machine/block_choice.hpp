// SPDX-License-Identifier: MIT
// An observer that is also a BlockChoice is shown some blocks of the grid, and the others do not run.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::vgpu {

class BlockChoice {
 public:
  virtual ~BlockChoice() = default;
  // Clusters by their number in the grid, ascending; empty: all.
  virtual const std::vector<uint64_t>& clusters() const = 0;
};

}  // namespace assay::vgpu
