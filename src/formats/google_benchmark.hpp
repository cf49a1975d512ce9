// SPDX-License-Identifier: MIT
// Google Benchmark's JSON, which most dashboards read: mean, median and standard deviation of each result.
#pragma once

#include <string>
#include <vector>

#include "formats/foreign.hpp"

namespace assay::formats {

Written write_google_benchmark(const std::vector<ForeignResult>& results);

}  // namespace assay::formats
