// SPDX-License-Identifier: MIT
// The operand that is a name, as the parser's tests expect it.
#pragma once

#include <string>

#include "ptx/syntax.hpp"

namespace assay::ptx {

inline Operand named(const std::string& text) {
  return {Identifier{text}};
}

}  // namespace assay::ptx
