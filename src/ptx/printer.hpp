// SPDX-License-Identifier: MIT
// Syntax tree to PTX text. Parsing the text again gives an equal tree.
#pragma once

#include <string>

#include "ptx/syntax.hpp"

namespace assay::ptx {

std::string print(const Module& module);
std::string print(const Function& function);
std::string print(const Instruction& instruction);  // on one line, with its ";"
std::string print(const Operand& operand);

}  // namespace assay::ptx
