// SPDX-License-Identifier: MIT
// What tuners recorded (Kernel Tuner's cache, T4) as results, one for each configuration; and results as T4.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "formats/foreign.hpp"

namespace assay::formats {

Result<Imported> parse_tuned_results(std::string_view text, const std::string& name);
Written write_t4(const std::vector<ForeignResult>& results);

}  // namespace assay::formats
