// SPDX-License-Identifier: MIT
// What kernels print, for the terminal.
#pragma once

#include <string>
#include <vector>

#include "check/case_result.hpp"
#include "report/terminal.hpp"

namespace assay::report {

// What the first case printed that printed anything: all of it if it is the only case, else its beginning, and how many
// others printed as well. Empty if none did. Control characters do not reach the terminal.
std::string printed_text(const Terminal& terminal, const std::vector<check::CaseResult>& results);

}  // namespace assay::report
