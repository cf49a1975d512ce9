// SPDX-License-Identifier: MIT
// How many clusters a Hopper GPU holds at a time. A cluster lies within one of its groups of multiprocessors, whose
// sizes differ from card to card: the driver knows. Knows no CUDA.
#pragma once

#include <algorithm>

namespace assay::attention {

constexpr int kLargestCluster = 8;  // what every Hopper GPU can hold

// For a GPU that is not there: groups of 16 multiprocessors, the last of 10 that one cluster can
// use, and single ones besides. `resident`:
// blocks that one multiprocessor holds.
constexpr int usual_clusters(int multiprocessors, int cluster, int resident) {
  if (cluster <= 2) return resident * multiprocessors / cluster;
  return std::max(0, multiprocessors / 16 - 1) * (16 * resident / cluster) + 10 * resident / cluster;
}

}  // namespace assay::attention
