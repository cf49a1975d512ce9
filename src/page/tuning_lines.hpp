// SPDX-License-Identifier: MIT
// Parallel axes: one for each tunable that varies, the outcome and the time below them, and a line from axis to axis
// for each configuration.
#pragma once

#include <string>
#include <vector>

#include "page/landscape.hpp"

namespace assay::page {

inline constexpr size_t kDrawnAxes = 16;  // tunables

// `rows`: those of the landscape that are drawn.
std::string draw_lines(const TunedCase& tuned, const Landscape& landscape, const std::vector<size_t>& rows,
                       double width);

}  // namespace assay::page
