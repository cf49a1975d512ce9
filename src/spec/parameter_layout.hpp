// SPDX-License-Identifier: MIT
// Where each argument lies in the kernel's parameters. Arguments of one structure share a parameter, laid out as C++
// lays out the members of a structure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "spec/resolved_argument.hpp"

namespace assay::spec {

inline constexpr size_t kPointerBytes = 8;
inline constexpr size_t kTensorMapBytes = 128;

struct ParameterLayout {
  struct Parameter {
    std::string name;  // of the argument, or of the structure
    size_t bytes = 0;
  };
  struct Position {
    size_t parameter = 0;  // its index
    size_t offset = 0;     // in bytes, from the parameter's beginning
  };

  std::vector<Parameter> parameters;
  std::vector<std::optional<Position>> positions;  // one for each argument; nothing if it is not passed
};

ParameterLayout parameter_layout(const std::vector<ResolvedArgument>& arguments);
// Of the kernel that takes these arguments alone, in this order.
ParameterLayout parameter_layout(const std::vector<ResolvedArgument>& arguments, const std::vector<std::string>& names);

}  // namespace assay::spec
