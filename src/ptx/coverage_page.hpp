// SPDX-License-Identifier: MIT
// docs/ptx_coverage.md, made from the opcode table: what the virtual GPU executes, how faithfully, and how many tests
// say so.
#pragma once

#include <map>
#include <string>

namespace assay::ptx {

// `cases_per_row`: by the row's name, how many test cases use it.
std::string coverage_page(const std::map<std::string, int>& cases_per_row);

}  // namespace assay::ptx
