// SPDX-License-Identifier: MIT
// The table that connects words of reports with recipes.
#pragma once

#include <vector>

#include "assay/explain.hpp"

namespace assay::work {

// Findings and checks take their words from their own tables; recipes from their pages.
const std::vector<Explanation>& explanations();

}  // namespace assay::work
