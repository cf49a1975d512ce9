// SPDX-License-Identifier: MIT
// What could not be carried over, for people: the same reason once, with how often and where first.
#pragma once

#include <string>
#include <vector>

#include "assay/import.hpp"

namespace assay::cli {

std::string lost_text(const std::vector<work::NotCarriedOver>& lost, const std::string& indent);

}  // namespace assay::cli
