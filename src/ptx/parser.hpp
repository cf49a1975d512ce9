// SPDX-License-Identifier: MIT
// PTX text to syntax tree.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "ptx/syntax.hpp"

namespace assay::ptx {

// The error of a text that is not PTX says where in it (file_name:line:column), what was found and what was expected.
Result<Module> parse(std::string_view text, const std::string& file_name);

}  // namespace assay::ptx
