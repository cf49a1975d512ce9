// SPDX-License-Identifier: MIT
#include "device/launch_limits.hpp"

#include <fmt/format.h>

namespace assay::device {
namespace {

// A verdict on the kernel: with other tiles, or on another GPU, it may run.
Error too_large(const LaunchRequest& request, const Place& place, const std::string& what, std::string hint) {
  return Error{fmt::format("cannot launch '{}': {}", request.entry, what), place, std::move(hint), ExitCode::incorrect};
}

Result<void> check_cluster(const LaunchRequest& request, const gpu::GpuModel& model) {
  constexpr uint64_t kMost = 16;
  constexpr int kFirst = 9;  // compute capability
  if (!request.cluster) return {};
  const gpu::Dim3& cluster = *request.cluster;
  const Place& place = request.places.cluster;
  if (cluster.volume() == 0 || cluster.volume() > kMost) {
    return too_large(request, place,
                     fmt::format("clusters of {} blocks; expected 1 to {} of them", cluster.volume(), kMost),
                     "choose smaller clusters");
  }
  if (cluster.volume() > 1 && model.compute_major < kFirst) {
    return too_large(request, place, fmt::format("{} has no clusters of blocks", model.name),
                     "they came with compute capability 9.0");
  }
  const gpu::Dim3& grid = request.grid;
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return {};
  return Error{fmt::format("cannot launch '{}': the grid ({}, {}, {}) is not made of whole clusters ({}, {}, {})",
                           request.entry, grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z),
               place, "compare grid with cluster"};
}

}  // namespace

Result<void> check_limits(const LaunchRequest& request, const gpu::GpuModel& model, const KernelLimits& kernel) {
  const gpu::Dim3& block = request.block;
  const uint64_t threads = block.volume();
  if (request.grid.volume() == 0 || threads == 0) {
    return Error{fmt::format("cannot launch '{}': the grid and the block need at least one thread", request.entry),
                 request.places.block};
  }
  if (threads > static_cast<uint64_t>(model.max_threads_per_block)) {
    return too_large(request, request.places.block,
                     fmt::format("{} threads per block ({}, {}, {}) are more than {} has ({})", threads, block.x,
                                 block.y, block.z, model.name, model.max_threads_per_block),
                     "launch fewer threads");
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    return too_large(request, request.places.block,
                     fmt::format("{} threads per block, but the kernel was compiled for at most {} ({})", threads,
                                 kernel.max_threads, kernel.limited_by),
                     "raise __launch_bounds__ or launch fewer threads");
  }
  const uint64_t shared = kernel.static_shared_bytes + request.shared_bytes;
  if (shared > static_cast<uint64_t>(model.shared_bytes_per_block_optin)) {
    return too_large(request, request.places.shared_bytes,
                     fmt::format("{} bytes of shared memory do not fit: {} allows {} per block", shared, model.name,
                                 model.shared_bytes_per_block_optin),
                     "use smaller tiles or fewer stages");
  }
  return check_cluster(request, model);
}

}  // namespace assay::device
