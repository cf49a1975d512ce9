// SPDX-License-Identifier: MIT
#include "check/coverage.hpp"

#include "device/device.hpp"
#include "vgpu/observe/check_registry.hpp"

namespace assay::check {

gpu::CheckSet all_checks() {
  return vgpu::all_checks();
}

Result<gpu::CheckSet> parse_checks(std::string_view list) {
  return vgpu::parse_checks(list);
}

gpu::Coverage coverage(const std::string& device, const gpu::CheckSet& checks) {
  return vgpu::coverage_of(device::is_virtual(device) ? checks : gpu::CheckSet{});
}

}  // namespace assay::check
