// SPDX-License-Identifier: MIT
// Steps that were measured elsewhere, as attempts of a ledger: what was changed, what was expected, what came.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learn/step.hpp"
#include "ledger/ledger.hpp"

namespace assay::work {

bool holds_steps(const std::string& text);  // whether it is a file of steps

// How many are new; the same step counts once.
Result<size_t> import_steps(ledger::Ledger& ledger, const learn::StepFile& read, const std::string& file);

// Files of steps inside what assay learn --export wrote, one for each origin.
Result<std::vector<learn::StepFile>> shared_steps(const std::string& text, const std::string& file);

// All that were imported, by their origin: as files of steps that can be imported again.
Result<nlohmann::json> steps_to_share(ledger::Ledger& ledger, const ledger::Filter& wanted);

}  // namespace assay::work
