// SPDX-License-Identifier: MIT
#include "ptx/debug_strings.hpp"

#include "ptx/debug_bytes.hpp"
#include "ptx/demangle.hpp"

namespace assay::ptx {

DebugStrings::DebugStrings(const Module& module) {
  DebugBytes section = debug_bytes(module, ".debug_str");
  bytes_ = std::move(section.bytes);
  starts_ = std::move(section.labels);
}

std::optional<std::string> DebugStrings::at(const std::string& label, int64_t offset) const {
  const auto found = starts_.find(label);
  if (found == starts_.end()) return std::nullopt;
  const auto limit = static_cast<int64_t>(bytes_.size());
  const auto start = static_cast<int64_t>(found->second);
  if (offset < -start || offset >= limit - start) return std::nullopt;
  const auto first = static_cast<size_t>(start + offset);
  return bytes_.substr(first, bytes_.find('\0', first) - first);
}

std::string DebugStrings::function_of(const Location& location) const {
  if (!location.inlined_at) return "";
  const auto name = at(location.inlined_at->function_label, location.inlined_at->function_offset);
  return name ? demangle(*name) : "";
}

std::map<std::string, std::string> DebugStrings::by_label() const {
  std::map<std::string, std::string> result;
  for (const auto& [label, start] : starts_) result.emplace(label, at(label).value_or(""));
  return result;
}

}  // namespace assay::ptx
