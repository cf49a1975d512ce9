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

}  // namespace assay::device
