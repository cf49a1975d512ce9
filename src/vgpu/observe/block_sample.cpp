// SPDX-License-Identifier: MIT
#include "vgpu/observe/block_sample.hpp"

#include <algorithm>
#include <array>

namespace assay::vgpu {
namespace {

struct Point {
  uint64_t at = 0;
  double weight = 1;
};

// The first, the last, and the middles of equal parts of what lies between.
std::vector<Point> points(uint64_t extent, uint64_t most) {
  std::vector<Point> chosen;
  if (extent <= most) {
    for (uint64_t i = 0; i < extent; ++i) chosen.push_back({i, 1});
    return chosen;
  }
  if (most == 1) return {{extent / 2, static_cast<double>(extent)}};
  if (most == 2) return {{extent / 2, static_cast<double>(extent - 1)}, {extent - 1, 1}};
  const uint64_t inner = extent - 2;
  const uint64_t parts = most - 2;
  chosen.push_back({0, 1});
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t begin = inner * part / parts;
    const uint64_t end = inner * (part + 1) / parts;
    chosen.push_back({1 + (begin + end) / 2, static_cast<double>(end - begin)});
  }
  chosen.push_back({extent - 1, 1});
  return chosen;
}

}  // namespace

BlockSample sample_blocks(const gpu::Dim3& grid, const gpu::Dim3& cluster, uint64_t most) {
  BlockSample sample;
  if (most == 0 || grid.volume() <= most) return sample;
  const std::array<uint64_t, 3> extents = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  const uint64_t clusters = std::max<uint64_t>(1, most / cluster.volume());
  // Points are dealt to the dimensions one by one, always to the one with the fewest that still can have more.
  std::array<uint64_t, 3> counts = {1, 1, 1};
  while (true) {
    size_t best = 3;
    for (size_t i = 0; i < 3; ++i) {
      const uint64_t after = counts[0] * counts[1] * counts[2] / counts[i] * (counts[i] + 1);
      const bool possible = counts[i] < extents[i] && after <= clusters;
      if (possible && (best == 3 || counts[i] < counts[best])) best = i;
    }
    if (best == 3) break;
    ++counts[best];
  }
  for (const Point& z : points(extents[2], counts[2])) {
    for (const Point& y : points(extents[1], counts[1])) {
      for (const Point& x : points(extents[0], counts[0])) {
        const uint64_t index = (z.at * extents[1] + y.at) * extents[0] + x.at;
        sample.clusters.push_back(index);
        sample.weights[index] = x.weight * y.weight * z.weight;
      }
    }
  }
  return sample;
}

}  // namespace assay::vgpu
