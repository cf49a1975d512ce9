// SPDX-License-Identifier: MIT
// The tables that assay profile prints.
#pragma once

#include <filesystem>
#include <string>

#include "profiling/profile.hpp"

namespace assay::cli {

// Lines are shown of source files below `root`.
std::string profile_text(const profiling::Profile& profile, size_t lines, const std::filesystem::path& root);

}  // namespace assay::cli
