// SPDX-License-Identifier: MIT
// A judged answer as a document, and back: for people's programs, and for work that was interrupted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "assay/judge.hpp"

namespace assay::work {

nlohmann::json document_of(const JudgedSubmission& judged);
std::optional<JudgedSubmission> submission_from(const nlohmann::json& document);  // nothing: it is none of ours

}  // namespace assay::work
