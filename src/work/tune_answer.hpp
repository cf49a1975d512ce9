// SPDX-License-Identifier: MIT
// Which configuration a tuning answers with, and which is the best for each shape, from what was evaluated.
#pragma once

#include "assay/tune.hpp"

namespace assay::work {

inline constexpr double kMargin = 0.002;  // called equal

// Of the tie group: fewer registers, then less shared memory, then the order of the group.
void choose_answer(TuneReport& report);
// The winner of each shape, and the configuration whose worst shape is the best.
void judge_shapes(TuneReport& report);

}  // namespace assay::work
