// SPDX-License-Identifier: MIT
// A launch as an experiment changes it, as JSON between processes, and applied to what a specification asks for.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"
#include "gpu/launch_change.hpp"

namespace assay::check {

nlohmann::json to_json(const gpu::LaunchChange& change);
gpu::LaunchChange launch_change_from(const nlohmann::json& value);  // throws on what is no such document

// The addresses that kernels get: those of the tensors, each `pointer_offset` bytes later.
std::map<std::string, uint64_t> shifted(std::map<std::string, uint64_t> addresses, const gpu::LaunchChange& change);

// Of a call that launches one kernel; an error for others.
Result<void> apply(const gpu::LaunchChange& change, std::vector<device::LaunchRequest>& requests);

}  // namespace assay::check
