// SPDX-License-Identifier: MIT
// The JSON document of assay profile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "profiling/profile.hpp"

namespace assay::report {

// "counters" is a flat object of whole numbers; "metrics" has the same and the measured ones, each with its word.
nlohmann::json profile_document(const profiling::Profile& profile);

}  // namespace assay::report
