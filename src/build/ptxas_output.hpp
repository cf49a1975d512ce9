// SPDX-License-Identifier: MIT
// What `ptxas -v` writes about each entry. Its wording is no interface: a line that reads otherwise leaves figures
// empty.
#pragma once

#include <string_view>
#include <vector>

#include "build/resource_usage.hpp"

namespace assay::build {

std::vector<ResourceUsage> read_ptxas_output(std::string_view text);

}  // namespace assay::build
