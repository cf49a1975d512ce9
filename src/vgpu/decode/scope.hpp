// SPDX-License-Identifier: MIT
// The names that are visible at a place of a function: registers, labels, variables. Braces open a new scope.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/syntax.hpp"
#include "vgpu/decode/module_layout.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

struct Register {
  uint32_t row = kNoRow;
  int bits = 0;
};

struct ScopeVariable {
  Symbol symbol;                 // local, shared, or parameter: the offset in the lane's parameter area
  bool entry_parameter = false;  // a kernel's own parameter: the same for all lanes
};

struct Scope {
  struct Range {
    std::string prefix;
    int count = 0;
    int bits = 0;
  };
  std::map<std::string, Register> registers;  // single names, and those of ranges that were used
  std::vector<Range> ranges;
  std::map<std::string, int> labels;  // -> label number
  std::map<std::string, ScopeVariable> variables;
  std::map<std::string, std::vector<std::string>> target_lists;
};

}  // namespace assay::vgpu
