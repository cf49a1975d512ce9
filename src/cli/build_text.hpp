// SPDX-License-Identifier: MIT
// What assay build and assay run say about a build.
#pragma once

#include <string>

#include "assay/build.hpp"

namespace assay::cli {

// One line for each configuration: what it takes of the GPU at hand, and whether it fits.
std::string build_text(const work::BuildReport& report);
// The line of one configuration.
std::string build_summary(const work::BuildReport& report, const std::string& configuration);
// Every entry of every configuration and target, and where it fits: all GPUs side by side.
std::string build_matrix(const work::BuildReport& report);

}  // namespace assay::cli
