// SPDX-License-Identifier: MIT
// What is wrong with one lane's access, in words: shared by the machine's own faults and the memory checker.
#pragma once

#include <optional>

#include "gpu/finding.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

// Nothing, if the access is good: aligned, and inside one live allocation or variable.
std::optional<Finding> access_fault(const Warp& warp, Space space, AccessKind kind, uint32_t bytes, uint64_t address);

// The nearest allocation or variable: "at byte 12 of shared variable 'tile' of 4096 bytes".
std::string place_of(const Warp& warp, Space space, uint64_t address);

// What is wrong, at the place that Warp::describe gave.
Finding placed(Finding place, Finding problem);

}  // namespace assay::vgpu
