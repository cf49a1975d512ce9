// SPDX-License-Identifier: MIT
// Trace events, which Perfetto and speedscope open: one for each sample; microseconds.
#pragma once

#include <vector>

#include "formats/foreign.hpp"

namespace assay::formats {

Written write_trace_events(const std::vector<ForeignResult>& results);

}  // namespace assay::formats
