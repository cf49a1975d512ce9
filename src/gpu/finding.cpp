// SPDX-License-Identifier: MIT
#include "gpu/finding.hpp"

namespace assay::gpu {

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds:
      return "out_of_bounds";
    case FindingKind::misaligned:
      return "misaligned";
    case FindingKind::null_pointer:
      return "null";
    case FindingKind::use_after_free:
      return "freed";
    case FindingKind::illegal_address:
      return "illegal_address";
    case FindingKind::trap:
      return "trap";
    case FindingKind::assertion:
      return "assert";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::instruction_limit:
      return "instruction_limit";
    case FindingKind::invalid_free:
      return "invalid_free";
    case FindingKind::illegal_instruction:
      return "illegal_instruction";
    case FindingKind::uninitialised:
      return "uninitialised";
    case FindingKind::race:
      return "race";
    case FindingKind::barrier:
      return "barrier";
  }
  return "unknown";
}

std::string_view to_string(AccessKind kind) {
  switch (kind) {
    case AccessKind::none:
      return "none";
    case AccessKind::load:
      return "load";
    case AccessKind::store:
      return "store";
    case AccessKind::atomic:
    case AccessKind::mbarrier:
      return "atomic";
    case AccessKind::async_read:
    case AccessKind::async_write:
      return "async_copy";
  }
  return "unknown";
}

const SourceLine* user_line(const Finding& finding) {
  // Toolkit headers appear as "cuda/include/..." (see build/compile.cpp) or under the toolkit's own folder.
  const auto in_toolkit = [](const SourceLine& line) {
    return line.file.starts_with("cuda/include/") || line.file.find("/cuda/include/") != std::string::npos ||
           line.file.find("/targets/x86_64-linux/include/") != std::string::npos;
  };
  for (const SourceLine& line : finding.source) {
    if (!in_toolkit(line)) return &line;
  }
  return finding.source.empty() ? nullptr : &finding.source.front();
}

}  // namespace assay::gpu
