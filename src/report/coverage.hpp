// SPDX-License-Identifier: MIT
// What a verdict looked at, and what it did not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gpu/check_set.hpp"

namespace assay::report {

std::string coverage_text(const gpu::Coverage& coverage);  // one line each: "checked: ...", "not checked: ..."
nlohmann::json coverage_document(const gpu::Coverage& coverage);

}  // namespace assay::report
