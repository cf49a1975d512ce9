// SPDX-License-Identifier: MIT
// Launch geometry and entry point of one configuration on one shape.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "spec/shape.hpp"

namespace assay::spec {

struct LaunchGeometry {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t shared_bytes = 0;  // dynamic
  std::optional<std::array<uint32_t, 3>> cluster;

  bool empty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }  // nothing to launch
  bool operator==(const LaunchGeometry&) const = default;
};

// Within what every CUDA device takes (1,024 threads a block, 65,535 blocks in y and z); shared memory is not judged
// here.
Result<LaunchGeometry> launch_geometry(const KernelSpec& spec, const StageSpec& stage,
                                       const Configuration& configuration, const Shape& shape);

// As the specification writes it: build/entry_points.hpp finds the kernel that is meant.
Result<std::string> entry_name(const KernelSpec& spec, const StageSpec& stage, const Configuration& configuration,
                               const Shape& shape);

// Work of one launch, if [problem] says it.
Result<std::optional<double>> flops(const KernelSpec& spec, const Configuration& configuration, const Shape& shape);
Result<std::optional<double>> bytes_moved(const KernelSpec& spec, const Configuration& configuration,
                                          const Shape& shape);

}  // namespace assay::spec
