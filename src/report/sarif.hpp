// SPDX-License-Identifier: MIT
// Findings as SARIF 2.1.0: the form in which code hosts show them beside the lines of a change.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gpu/finding.hpp"

namespace assay::report {

// File names below `root` become relative to it, as code hosts want them.
nlohmann::json sarif_document(const std::vector<gpu::Finding>& findings, const std::string& version,
                              const std::filesystem::path& root);

}  // namespace assay::report
