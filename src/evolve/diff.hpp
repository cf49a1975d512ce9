// SPDX-License-Identifier: MIT
// Unified diffs, applied strictly. A hunk's old lines must stand in the file exactly, though they may have moved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::evolve {

using Files = std::map<std::string, std::string>;  // by path in the kernel's folder

// The files that the diff changes or makes, with their new content. The error says which hunk does not fit and where.
Result<Files> apply_diff(const Files& files, const std::string& diff);

// The paths that it names, in order.
Result<std::vector<std::string>> paths_of_diff(const std::string& diff);

}  // namespace assay::evolve
