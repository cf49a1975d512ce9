// SPDX-License-Identifier: MIT
// The CSV of CUTLASS's profiler: one kernel at one problem in each line. Columns are found by name, since they change
// with versions; what stands before "Problem" are tags of the user's.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "formats/foreign.hpp"

namespace assay::formats {

Result<Imported> parse_cutlass_csv(std::string_view text, const std::string& name);

}  // namespace assay::formats
