// SPDX-License-Identifier: MIT
// Comparisons as JSON: what --json prints and what the ledger keeps.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "judge/comparison.hpp"

namespace assay::judge {

nlohmann::json to_json(const Comparison& comparison);
Result<Comparison> comparison_from_json(const nlohmann::json& json);

}  // namespace assay::judge
