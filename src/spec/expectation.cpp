// SPDX-License-Identifier: MIT
// The words that [expect] may use.
#include "gpu/finding_kind.hpp"
#include "gpu/space.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::spec {

const std::vector<std::string>& expected_verdicts() {
  static const std::vector<std::string> words{"finding",      "incorrect", "does_not_fit",
                                              "build_failed", "crash",     "timeout"};
  return words;
}

// Kinds of findings, then what a result can be (check::Outcome).
const std::vector<std::string>& expected_kinds() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const gpu::FindingKindInfo& kind : gpu::finding_kinds()) all.emplace_back(kind.name);
    for (const char* outcome : {"nan", "wrong_value", "unwritten", "input_changed", "red_zone"})
      all.emplace_back(outcome);
    return all;
  }();
  return words;
}

const std::vector<std::string>& expected_spaces() {
  static const std::vector<std::string> words(gpu::kSpaces.begin(), gpu::kSpaces.end());
  return words;
}

}  // namespace assay::spec
