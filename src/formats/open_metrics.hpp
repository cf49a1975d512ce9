// SPDX-License-Identifier: MIT
// OpenMetrics text: gauges in base units with labels.
#pragma once

#include <string_view>
#include <vector>

#include "formats/foreign.hpp"

namespace assay::formats {

Written write_open_metrics(const std::vector<ForeignResult>& results);
std::string escape_label(std::string_view text);

}  // namespace assay::formats
