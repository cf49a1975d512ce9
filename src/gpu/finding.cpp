// SPDX-License-Identifier: MIT
#include "gpu/finding.hpp"

#include <algorithm>
#include <array>

namespace assay::gpu {

namespace {

constexpr std::array<std::string_view, 7> kAccessKinds = {"none",       "load",        "store",   "atomic",
                                                          "async_read", "async_write", "mbarrier"};

}  // namespace

std::string_view to_string(AccessKind kind) {
  return kAccessKinds[static_cast<size_t>(kind)];
}

std::optional<AccessKind> access_kind_named(std::string_view name) {
  const auto* const found = std::ranges::find(kAccessKinds, name);
  if (found == kAccessKinds.end()) return std::nullopt;
  return static_cast<AccessKind>(found - kAccessKinds.begin());
}

const SourceLine* user_line(const Finding& finding) {
  // Toolkit headers appear as "cuda/include/..." (see build/compile.cpp) or under the toolkit's own folder.
  const auto in_toolkit = [](const SourceLine& line) {
    return line.file.starts_with("cuda/include/") || line.file.find("/cuda/include/") != std::string::npos ||
           line.file.find("/targets/x86_64-linux/include/") != std::string::npos ||
           line.file.find("/include/cccl/") != std::string::npos;
  };
  for (const SourceLine& line : finding.source) {
    if (!in_toolkit(line)) return &line;
  }
  return finding.source.empty() ? nullptr : &finding.source.front();
}

}  // namespace assay::gpu
