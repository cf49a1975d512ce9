// SPDX-License-Identifier: MIT
#include "spec/launch.hpp"

#include <fmt/format.h>

#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

constexpr std::array<int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
constexpr std::array<int64_t, 3> kMaxBlock{1024, 1024, 64};
constexpr std::array<int64_t, 3> kMaxCluster{16, 16, 16};
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxClusterBlocks = 16;
constexpr int64_t kMaxSharedBytes = int64_t{1} << 30;  // far above any device: what fits is judged for each device

// Of a launch that no GPU takes.
constexpr const char* kLeaveOut =
    "a constraint leaves out what no GPU can launch, as constraints = [\"BLOCK <= 1024\"]";

Result<std::array<uint32_t, 3>> extent(const std::vector<Expression>& expressions, const Bindings& scope,
                                       int64_t lowest, const std::array<int64_t, 3>& limits, std::string_view what) {
  std::array<uint32_t, 3> result{1, 1, 1};
  for (size_t i = 0; i < expressions.size(); ++i) {
    ASSAY_TRY(const int64_t size, expressions[i].evaluate_integer(scope));
    if (size < lowest || size > limits[i]) {
      return mistake(expressions[i].place(),
                     fmt::format("{}.{} is {} (\"{}\" with {}); expected {} to {}", what, "xyz"[i], size,
                                 expressions[i].text(), to_string(scope), lowest, limits[i]),
                     size > limits[i] && what == "block" ? kLeaveOut : "");
    }
    result[i] = static_cast<uint32_t>(size);
  }
  return result;
}

int64_t product(const std::array<uint32_t, 3>& extent) {
  return static_cast<int64_t>(extent[0]) * extent[1] * extent[2];
}

Result<std::optional<double>> work(const KernelSpec& spec, const std::optional<Expression>& expression,
                                   const Configuration& configuration, const Shape& shape) {
  if (!expression) return std::optional<double>();
  ASSAY_TRY(const Bindings scope, bind(spec, configuration, shape));
  ASSAY_TRY(const double amount, expression->evaluate_real(scope));
  if (amount >= 0) return std::optional<double>(amount);
  return mistake(expression->place(), fmt::format("\"{}\" is {} with {}; expected zero or more", expression->text(),
                                                  amount, to_string(scope)));
}

}  // namespace

Result<LaunchGeometry> launch_geometry(const KernelSpec& spec, const StageSpec& stage,
                                       const Configuration& configuration, const Shape& shape) {
  const LaunchSection& launch = stage.launch;
  ASSAY_TRY(const Bindings scope, bind(spec, configuration, shape));
  LaunchGeometry geometry;
  ASSAY_TRY(geometry.grid, extent(launch.grid, scope, 0, kMaxGrid, "grid"));
  ASSAY_TRY(geometry.block, extent(launch.block, scope, 1, kMaxBlock, "block"));
  if (product(geometry.block) > kMaxThreads) {
    return mistake(launch.block.front().place(),
                   fmt::format("a block has {} threads with {}; expected at most {}", product(geometry.block),
                               to_string(scope), kMaxThreads),
                   spec.tunable.tunables.empty() ? "" : kLeaveOut);
  }
  if (launch.shared_bytes) {
    ASSAY_TRY(const int64_t bytes, launch.shared_bytes->evaluate_integer(scope));
    if (bytes < 0 || bytes > kMaxSharedBytes) {
      return mistake(launch.shared_bytes->place(), fmt::format("shared_bytes is {} with {}; expected 0 to {}", bytes,
                                                               to_string(scope), kMaxSharedBytes));
    }
    geometry.shared_bytes = static_cast<uint32_t>(bytes);
  }
  if (launch.cluster.empty()) return geometry;

  ASSAY_TRY(geometry.cluster, extent(launch.cluster, scope, 1, kMaxCluster, "cluster"));
  if (product(*geometry.cluster) > kMaxClusterBlocks) {
    return mistake(launch.cluster.front().place(),
                   fmt::format("a cluster has {} blocks with {}; expected at most {}", product(*geometry.cluster),
                               to_string(scope), kMaxClusterBlocks));
  }
  for (size_t i = 0; i < 3; ++i) {
    if (geometry.grid[i] % (*geometry.cluster)[i] == 0) continue;
    return mistake(launch.cluster.front().place(),
                   fmt::format("grid.{} is {} with {}; expected a multiple of the cluster's {}", "xyz"[i],
                               geometry.grid[i], to_string(scope), (*geometry.cluster)[i]));
  }
  return geometry;
}

Result<std::string> entry_name(const KernelSpec& spec, const StageSpec& stage, const Configuration& configuration,
                               const Shape& shape) {
  ASSAY_TRY(const Bindings scope, bind(spec, configuration, shape));
  return stage.entry.expand(scope);
}

Result<std::optional<double>> flops(const KernelSpec& spec, const Configuration& configuration, const Shape& shape) {
  return work(spec, spec.problem.flops, configuration, shape);
}

Result<std::optional<double>> bytes_moved(const KernelSpec& spec, const Configuration& configuration,
                                          const Shape& shape) {
  return work(spec, spec.problem.bytes, configuration, shape);
}

}  // namespace assay::spec
