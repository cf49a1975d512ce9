// SPDX-License-Identifier: MIT
#include "device/device.hpp"

#include <fmt/format.h>

namespace assay::device {
namespace {

// How much a virtual GPU is like a real one: the same product first, then the same instructions and arithmetic.
int likeness(const gpu::GpuModel& candidate, const gpu::GpuModel& wanted) {
  if (candidate.id == wanted.id) return 1'000'000;
  if (candidate.compute_capability() > wanted.compute_capability()) return 0;
  const int same_architecture = candidate.compute_major == wanted.compute_major ? 10'000 : 0;
  return same_architecture + candidate.compute_capability();
}

}  // namespace

Result<uint64_t> Device::texture_object(const TextureRequest& request) {
  return Error{fmt::format("{} has no textures, and '{}' is one", name(), request.name), {}, "", ExitCode::environment};
}

bool is_virtual(const std::string& name) {
  return name.starts_with("vgpu:");
}

std::string virtual_twin(const Device& device) {
  std::string twin = kDefaultVirtualDevice;
  int best = 0;
  for (const gpu::GpuModel& candidate : gpu::all_models()) {
    const int like = likeness(candidate, device.model());
    if (like <= best) continue;
    best = like;
    twin = fmt::format("vgpu:{}", candidate.id);
  }
  return twin;
}

Error cooperative_grid_too_large(const LaunchRequest& request, const gpu::GpuModel& model, uint64_t resident) {
  return Error{
      fmt::format("the cooperative grid of '{}' has {} blocks of {} threads; {} holds {} of them at a time, and "
                  "expected is at most that many",
                  request.entry, request.grid.volume(), request.block.volume(), model.name, resident),
      request.places.cooperative, "launch fewer blocks, each of which does more, or smaller ones", ExitCode::incorrect};
}

}  // namespace assay::device
