// SPDX-License-Identifier: MIT
// A compiler may load a value early and drop it: such a read of shared memory that nothing has written is no mistake.
#pragma once

#include "base/result.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/observe/initialisation_check.hpp"

namespace assay::device {

// The findings of `first`, which watched `launch`, without the reads that have no effect: the launch is repeated from
// `before` with zeros for all of them, then with zeros for all but one; global memory must come out different, other
// accesses be bad, or the launch fail. Leaves global memory as it found it.
Result<gpu::FindingList> findings_with_effect(vgpu::Gpu& gpu, vgpu::Launch launch,
                                              const vgpu::InitialisationCheck& first, const vgpu::MemoryImage& before);

}  // namespace assay::device
