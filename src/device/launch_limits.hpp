// SPDX-License-Identifier: MIT
// What every device refuses to launch, with the key of the specification that asks for it.
#pragma once

#include "device/device.hpp"

namespace assay::device {

// Of a kernel as it was compiled.
struct KernelLimits {
  uint64_t max_threads = 0;          // of a block; 0: not known
  const char* limited_by = "";       // what makes it that many, for messages
  uint64_t static_shared_bytes = 0;  // of a block
};

// A block that is too large, shared memory that does not fit, clusters that there are not, and a grid that is not made
// of whole ones.
Result<void> check_limits(const LaunchRequest& request, const gpu::GpuModel& model, const KernelLimits& kernel);

}  // namespace assay::device
