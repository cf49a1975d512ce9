// SPDX-License-Identifier: MIT
// What experiments found, as JSON: for reports, the ledger, and work that goes on where it was.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/invert.hpp"
#include "work/invert_details.hpp"

namespace assay::work {

nlohmann::json to_json(const InvertedExperiment& experiment);
std::optional<InvertedExperiment> experiment_from(const nlohmann::json& value);  // nothing: it is no such document

nlohmann::json report_document(const InvertReport& report, const InvertDetails& details);

}  // namespace assay::work
