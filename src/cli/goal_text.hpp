// SPDX-License-Identifier: MIT
// The goal of a kernel, line by line: met, not met, or what would tell.
#pragma once

#include <string>
#include <vector>

#include "assay/goal.hpp"

namespace assay::cli {

std::string goal_text(const std::vector<work::GoalLine>& lines);  // "" if there is none

}  // namespace assay::cli
