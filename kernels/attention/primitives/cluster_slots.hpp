// SPDX-License-Identifier: MIT
// How many clusters a Hopper GPU holds at a time. A cluster lies within one of its groups of multiprocessors, whose
// sizes differ from card to card: the driver knows. Knows no CUDA.
#pragma once

#include <algorithm>

namespace assay::attention {

constexpr int kLargestCluster = 8;  // what every Hopper GPU can hold

// For a GPU that is not there, as the H200s that were measured: groups of 16 multiprocessors, two of them of 18, a last
// one of 8 that clusters can use, and single ones besides. `resident`: blocks that one multiprocessor holds.
constexpr int usual_clusters(int multiprocessors, int cluster, int resident) {
  if (cluster <= 2) return resident * multiprocessors / cluster;
  const int groups = std::max(0, multiprocessors / 16 - 1);
  const int larger = std::min(2, groups);
  return larger * (18 * resident / cluster) + (groups - larger) * (16 * resident / cluster) + 8 * resident / cluster;
}

}  // namespace assay::attention
