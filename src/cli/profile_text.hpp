// SPDX-License-Identifier: MIT
// The tables that assay profile prints.
#pragma once

#include <string>

#include "diagnose/profile.hpp"

namespace assay::cli {

std::string profile_text(const diagnose::Profile& profile, size_t lines);

}  // namespace assay::cli
