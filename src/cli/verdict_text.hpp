// SPDX-License-Identifier: MIT
// What assay sanitize, check and run say to people.
#pragma once

#include <string>

#include "assay/check.hpp"
#include "assay/sanitize.hpp"

namespace assay::cli {

std::string sanitize_text(const work::SanitizeReport& report);
// `kernel` as the user named it: the command that repeats a failure names it so.
std::string check_text(const work::ConfigurationCheck& checked, const std::string& kernel, bool with_coverage = true);

}  // namespace assay::cli
