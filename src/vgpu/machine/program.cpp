// SPDX-License-Identifier: MIT
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

std::vector<SourceLine> Program::source_chain(int32_t location) const {
  std::vector<SourceLine> chain;
  constexpr size_t kDeepest = 64;
  while (location >= 0 && chain.size() < kDeepest) {
    const LocationEntry& entry = locations[static_cast<size_t>(location)];
    const auto file = files.find(entry.file);
    chain.push_back({file != files.end() ? file->second : "", entry.line, entry.column, entry.function});
    location = entry.caller;
  }
  return chain;
}

const Function* Program::entry(const std::string& name) const {
  const auto found = function_index.find(name);
  if (found == function_index.end()) return nullptr;
  const Function& function = functions[static_cast<size_t>(found->second)];
  return function.is_entry && !function.declared_only ? &function : nullptr;
}

}  // namespace assay::vgpu
