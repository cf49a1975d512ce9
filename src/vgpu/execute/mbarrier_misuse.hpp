// SPDX-License-Identifier: MIT
// Faults of those who use mbarriers against their rules.
#pragma once

#include <cstdint>
#include <string>

#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

void mbarrier_misuse(Warp& warp, int lane, uint32_t address, std::string message);
void no_mbarrier(Warp& warp, int lane, uint32_t address);  // there is none at this address

}  // namespace assay::vgpu
