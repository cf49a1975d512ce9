// SPDX-License-Identifier: MIT
// A measured case as JSON and back, nothing lost: for work that is interrupted and goes on.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "measure/measurement.hpp"

namespace assay::measure {

nlohmann::json to_json(const CaseMeasurement& measured);
Result<CaseMeasurement> measurement_from_json(const nlohmann::json& json);

}  // namespace assay::measure
