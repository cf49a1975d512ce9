// SPDX-License-Identifier: MIT
// Findings for eyes: "file:line:column: kind: message" first, so that editors jump there; then the line itself, the
// threads and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/finding.hpp"
#include "report/terminal.hpp"

namespace assay::report {

// "kernels/softmax/softmax.cu:12:5", "line 17 of the PTX".
std::string place_text(const gpu::Finding& finding);

// "(0,1,0)": the index of a block or a thread.
std::string dim_text(const gpu::Dim3& d);

// `most_threads` of each are listed. Lines are shown of source files below `root`.
std::string findings_text(const Terminal& terminal, const std::vector<gpu::Finding>& findings,
                          const std::filesystem::path& root, size_t most_threads = 6);

// "2 findings (56 threads, 112 occurrences)"
std::string findings_count(const std::vector<gpu::Finding>& findings, uint64_t occurrences);

}  // namespace assay::report
