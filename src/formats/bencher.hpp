// SPDX-License-Identifier: MIT
// Bencher Metric Format: name -> measure -> value with bounds; latency in nanoseconds.
#pragma once

#include <vector>

#include "formats/foreign.hpp"

namespace assay::formats {

Written write_bencher(const std::vector<ForeignResult>& results);

}  // namespace assay::formats
