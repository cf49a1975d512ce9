// SPDX-License-Identifier: MIT
// A launch under a set of checks.
#pragma once

#include "base/result.hpp"
#include "gpu/check_set.hpp"
#include "gpu/finding_list.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/observe/unwritten_memory.hpp"

namespace assay::vgpu {

struct CheckedLaunch {
  LaunchResult result;
  gpu::FindingList found;
};

// The checks watch first, then the observers that `launch` has already. Names of no check are an error of ours.
// `global` is what nothing has written of global memory, and is kept up to date if a check follows it.
Result<CheckedLaunch> launch_checked(Gpu& gpu, const Launch& launch, const gpu::CheckSet& checks,
                                     UnwrittenMemory& global);

}  // namespace assay::vgpu
