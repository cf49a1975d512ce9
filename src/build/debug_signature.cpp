// SPDX-License-Identifier: MIT
#include "build/debug_signature.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "build/debug_types.hpp"

namespace assay::build {
namespace {

using ptx::DebugEntry;
using ptx::DebugTag;

std::string parameter_name(std::string_view name, size_t index) {
  constexpr size_t kLongest = 60;
  const bool good = !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, is_word) &&
                    !(name[0] >= '0' && name[0] <= '9');
  return good ? std::string(name) : fmt::format("p{}", index);
}

// "Ts... rest" are several parameters of one name: rest_0, rest_1.
void number_packs(std::vector<std::string>& names) {
  std::map<std::string, size_t> uses;
  for (const std::string& name : names) ++uses[name];
  std::map<std::string, size_t> seen;
  std::set<std::string> given(names.begin(), names.end());
  for (std::string& name : names) {
    if (uses[name] < 2) continue;
    std::string numbered;
    do {
      numbered = fmt::format("{}_{}", name, seen[name]++);
    } while (!given.insert(numbered).second);
    name = numbered;
  }
}

SignatureParameter described(const DebugTypes& types, const DebugEntry* type, const std::string& name, size_t bytes,
                             std::vector<std::string>& missing) {
  SignatureParameter parameter;
  parameter.name = name;
  parameter.bytes = bytes;
  parameter.structure = true;
  const auto size = types.bytes(type);
  if (size != bytes) {
    missing.push_back(fmt::format("{} has {} bytes in PTX and {} in the debug information", name, bytes,
                                  size ? std::to_string(*size) : "no size"));
    return parameter;
  }
  const DebugEntry* const plain = types.plain(type);
  auto layout = types.layout(type, name, types.is_structure(plain));
  if (!layout) {
    missing.push_back(fmt::format("the members of {} ({}) are not described", name, types.spelled(type)));
    return parameter;
  }
  const bool outside = std::ranges::any_of(
      layout->values, [&](const SignatureValue& value) { return value.offset + value.bytes > bytes; });
  if (outside) {
    missing.push_back(fmt::format("members of {} ({}) lie outside of it", name, types.spelled(type)));
    return parameter;
  }
  const bool single = layout->values.size() == 1 && layout->notes.empty() && layout->values.front().bytes == bytes &&
                      layout->values.front().name == name;
  parameter.structure = !single;
  parameter.values = std::move(layout->values);
  parameter.notes = std::move(layout->notes);
  return parameter;
}

}  // namespace

DebugSignatures::DebugSignatures(const ptx::DebugInfo& info) : info_(info) {
  for (const DebugEntry& entry : info.entries()) {
    const std::string_view name = entry.linkage_name.empty() ? entry.name : entry.linkage_name;
    if (name.empty() || entry.declaration) continue;
    if (entry.tag == DebugTag::subprogram) functions_.emplace(name, &entry);
    if (entry.tag == DebugTag::variable) variables_.emplace(name, &entry);
  }
}

std::optional<std::vector<SignatureParameter>> DebugSignatures::parameters(const std::string& entry,
                                                                           const std::vector<size_t>& bytes,
                                                                           std::vector<std::string>& missing) const {
  const auto function = functions_.find(entry);
  if (function == functions_.end()) {
    missing.emplace_back("the debug information does not describe this kernel");
    return std::nullopt;
  }
  std::vector<const DebugEntry*> described_ones;
  std::vector<std::string> names;
  for (size_t i = 0; i < function->second->children.size(); ++i) {
    const DebugEntry& child = info_.child(*function->second, i);
    if (child.tag != DebugTag::formal_parameter) continue;
    names.push_back(parameter_name(child.name, described_ones.size()));
    described_ones.push_back(&child);
  }
  if (described_ones.size() != bytes.size()) {
    missing.push_back(fmt::format("the kernel has {} parameters in PTX and {} in the debug information", bytes.size(),
                                  described_ones.size()));
    return std::nullopt;
  }
  number_packs(names);
  const DebugTypes types(info_);
  std::vector<SignatureParameter> result;
  for (size_t i = 0; i < bytes.size(); ++i)
    result.push_back(described(types, info_.type_of(*described_ones[i]), names[i], bytes[i], missing));
  return result;
}

std::optional<ElementType> DebugSignatures::variable(const std::string& name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return DebugTypes(info_).element(info_.type_of(*found->second));
}

}  // namespace assay::build
