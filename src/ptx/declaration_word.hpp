// SPDX-License-Identifier: MIT
// Which words name a type, a state space or a vector in a declaration.
#pragma once

#include <string_view>

namespace assay::ptx {

bool is_register_type(std::string_view word);   // "b32", "pred", "f16x2", ...
bool is_variable_type(std::string_view word);   // those of registers but pred, and the opaque "texref", ...
bool is_variable_space(std::string_view word);  // "global", "const", "shared", "local", "param", "tex"
int vector_width_of(std::string_view word);     // 2, 4, 8 of "v2", "v4", "v8"; else 0

}  // namespace assay::ptx
