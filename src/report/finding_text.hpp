// SPDX-License-Identifier: MIT
// Findings for eyes: one paragraph per source line, with the line itself, the threads and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/finding.hpp"
#include "report/terminal.hpp"

namespace assay::report {

// Findings of the same kind and line are shown together; `most_threads` of each are listed.
std::string findings_text(const Terminal& terminal, const std::vector<gpu::Finding>& findings, size_t most_threads = 6);

}  // namespace assay::report
