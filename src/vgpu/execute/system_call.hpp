// SPDX-License-Identifier: MIT
// The functions that CUDA provides to kernels: printf, assert, malloc, free.
#pragma once

#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

void run_system_call(Warp& warp, const CallSite& site, int lane);

}  // namespace assay::vgpu
