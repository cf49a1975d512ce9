// SPDX-License-Identifier: MIT
// A result as the ledger keeps it, and back: nothing that was read is lost on the way.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.hpp"
#include "formats/foreign.hpp"

namespace assay::formats {

nlohmann::ordered_json to_json(const ForeignResult& result);
Result<ForeignResult> result_from_json(const nlohmann::ordered_json& json);

}  // namespace assay::formats
