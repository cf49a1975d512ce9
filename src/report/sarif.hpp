// SPDX-License-Identifier: MIT
// Findings as SARIF 2.1.0: the form in which code hosts show them beside the lines of a change.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gpu/check_set.hpp"
#include "gpu/finding.hpp"

namespace assay::report {

struct SarifRun {
  std::vector<gpu::Finding> findings;
  std::string version;           // of this program
  std::filesystem::path root;    // of the repository: names below it are relative to it, as code hosts want them
  std::filesystem::path source;  // of the kernel, for findings without line information
  gpu::Coverage coverage;
};

nlohmann::json sarif_document(const SarifRun& run);

}  // namespace assay::report
