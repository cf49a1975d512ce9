// SPDX-License-Identifier: MIT
// What a small team believed had saved them hours, as hypotheses that data confirm or refute.
//
// Each is compared over cases in which somebody followed it and cases in which nobody did. The Mann-Whitney test
// decides at 5 %, and never with fewer than five cases on either side: what is not known stays unknown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::learn {

struct Hypothesis {
  std::string name;     // "profile first"
  std::string says;     // a sentence that can be wrong
  std::string against;  // what it is to prevent
  std::string claimed;  // what it was said to save
  std::string rule;     // how cases are found; empty: a ledger cannot tell
  std::string outcome;  // "improvement" (time before over time after), "failure" (0 or 1) or "seconds"
  std::string cases;    // what a case is, and when the hypothesis was followed
  std::string needs;    // without a rule: what would tell
};

const std::vector<Hypothesis>& hypotheses();  // all twelve

// One case of a hypothesis.
struct Practice {
  std::string rule;
  bool followed = false;
  double outcome = 0;
};

struct Tested {
  size_t followed = 0;  // cases
  size_t not_followed = 0;
  double mean_followed = 0;  // geometric for improvements
  double mean_not = 0;
  double p = 1;
  std::string verdict;  // "confirmed", "refuted", "unknown", "not in a ledger"
};

inline constexpr size_t kLeastCases = 5;  // of each side
inline constexpr double kSignificance = 0.05;

Tested test(const Hypothesis& hypothesis, const std::vector<Practice>& practices);

}  // namespace assay::learn
