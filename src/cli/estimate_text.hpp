// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "work/estimating.hpp"

namespace assay::cli {

std::string estimate_text(const work::EstimatedCase& estimated);
std::string time_text(double us);  // "12.3 us", "4.56 ms"

}  // namespace assay::cli
