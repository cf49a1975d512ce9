// SPDX-License-Identifier: MIT
// The counters of a launch as JSON: a flat object of whole numbers in all, and the same, without zeros, for each line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gpu/counters.hpp"

namespace assay::check {

nlohmann::json to_json(const gpu::LaunchCounters& counters);
// Throws std::exception on what is no such document: it is read inside result_json.cpp, which catches.
gpu::LaunchCounters launch_counters_from_json(const nlohmann::json& value);

}  // namespace assay::check
