// SPDX-License-Identifier: MIT
// Some blocks of a grid that stand for all: first, last and evenly spread inner ones along each dimension, each with
// the number of blocks that it stands for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gpu/dim3.hpp"

namespace assay::vgpu {

struct BlockSample {
  std::vector<uint64_t> clusters;      // ascending; empty: all
  std::map<uint64_t, double> weights;  // by cluster; of those in `clusters`

  double weight(uint64_t cluster) const {
    const auto found = weights.find(cluster);
    return found == weights.end() ? 1.0 : found->second;
  }
};

// At most about `most` blocks, and at least one cluster; all of them if there are no more (or `most` is 0).
BlockSample sample_blocks(const gpu::Dim3& grid, const gpu::Dim3& cluster, uint64_t most);

}  // namespace assay::vgpu
