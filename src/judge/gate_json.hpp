// SPDX-License-Identifier: MIT
// Gate results and calibrations as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "judge/gate.hpp"

namespace assay::judge {

nlohmann::json to_json(const GateResult& result);

nlohmann::json to_json(const Calibration& calibration);
Result<Calibration> calibration_from_json(const nlohmann::json& json);

}  // namespace assay::judge
