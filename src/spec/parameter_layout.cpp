// SPDX-License-Identifier: MIT
#include "spec/parameter_layout.hpp"

#include <algorithm>

namespace assay::spec {
namespace {

struct Extent {
  size_t bytes = 0;
  size_t alignment = 1;
};

Extent extent_of(const ResolvedArgument& argument) {
  constexpr size_t kTensorMapAlignment = 64;
  if (const ResolvedScalar* scalar = argument.scalar()) return {scalar->encoded.size(), scalar->encoded.size()};
  if (argument.tensor_map() != nullptr) return {kTensorMapBytes, kTensorMapAlignment};
  return {kPointerBytes, kPointerBytes};
}

size_t round_up(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

ParameterLayout parameter_layout(const std::vector<ResolvedArgument>& arguments) {
  ParameterLayout layout;
  std::string structure;  // of the last parameter; empty: it is none
  size_t alignment = 1;
  // A structure's size is a multiple of its strictest alignment.
  const auto close = [&] {
    if (!structure.empty()) layout.parameters.back().bytes = round_up(layout.parameters.back().bytes, alignment);
    alignment = 1;
  };
  for (const ResolvedArgument& argument : arguments) {
    layout.positions.emplace_back();
    if (!argument.passed) continue;
    if (argument.structure.empty() || argument.structure != structure) {
      close();
      structure = argument.structure;
      layout.parameters.push_back({structure.empty() ? argument.name : structure, 0});
    }
    const Extent extent = extent_of(argument);
    ParameterLayout::Parameter& parameter = layout.parameters.back();
    const size_t offset = round_up(parameter.bytes, extent.alignment);
    parameter.bytes = offset + extent.bytes;
    alignment = std::max(alignment, extent.alignment);
    layout.positions.back() = {layout.parameters.size() - 1, offset};
  }
  close();
  return layout;
}

}  // namespace assay::spec
