// SPDX-License-Identifier: MIT
// What a launch asks of a GPU, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gpu/launch_work.hpp"

namespace assay::check {

nlohmann::json to_json(const gpu::LaunchWork& work);
// Throws std::exception on what is no such document: it is read inside result_json.cpp, which catches.
gpu::LaunchWork launch_work_from_json(const nlohmann::json& value);

}  // namespace assay::check
