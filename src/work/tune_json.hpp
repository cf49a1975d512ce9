// SPDX-License-Identifier: MIT
// One evaluation of a tuning as JSON: in its document, in its journal, and on the way from a worker.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "assay/tune.hpp"

namespace assay::work {

nlohmann::json evaluation_json(const TunedConfiguration& evaluated);
// Nothing if it is not what we wrote.
std::optional<TunedConfiguration> evaluation_from(const nlohmann::json& value);
// What the ledger keeps of a tuning.
nlohmann::json attempt_json(const TuneReport& report);

}  // namespace assay::work
