// SPDX-License-Identifier: MIT
// What the record of attempts teaches: which changes have paid, and what to try next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

// A change of one tunable or of the source, over all pairs of attempts that differ in it alone.
struct LearnedPattern {
  std::string kernel;
  std::string device;
  std::string action;  // "STAGES 2 -> 3"
  size_t wins = 0;
  size_t ties = 0;
  size_t losses = 0;
  double median_ratio = 1;  // time before divided by time after
  double low = 1;           // of the median's interval
  double high = 1;
  double expected_ratio = 1;  // shrunk towards 1: few pairs say little
  double seconds = 0;         // that finding out took
  double cost = 0;
};

// What a team believed had saved them hours, beside what the ledger says of it.
struct TestedHypothesis {
  std::string name;
  std::string says;
  std::string against;
  std::string claimed;  // that it saves
  std::string cases;    // what was compared; without a test: what would tell
  std::string outcome;  // "improvement", "failure" or "seconds"
  size_t followed = 0;  // cases
  size_t not_followed = 0;
  double mean_followed = 0;
  double mean_not = 0;
  double p = 1;
  std::string verdict;  // "confirmed", "refuted", "unknown", "not in a ledger"
};

struct LearnRequest {
  std::string ledger;
  std::string kernel;  // only these; * stands for any text
  std::string device;
  size_t least = 3;         // pairs of a pattern
  std::string import_file;  // what somebody else has learned, or steps: added to the ledger
  bool hypotheses = false;  // test them
};

struct LearnReport {
  std::string ledger;
  size_t trials = 0;  // measured results of correct kernels
  size_t steps = 0;   // that were measured elsewhere and imported
  size_t imported = 0;
  std::vector<LearnedPattern> patterns;
  std::vector<TestedHypothesis> hypotheses;  // where they were asked for
  std::string shared;  // JSON that --export writes: times by configuration and patterns, no sources
};

Result<LearnReport> learn(const LearnRequest& request);
std::string to_json(const LearnReport& report);

struct AdviceRequest {
  KernelChoice choice;
  std::string shape;
  std::string ledger;
  size_t count = 5;
};

struct Suggestion {
  std::string configuration;
  double expected_ratio = 1;  // of the best time known here, or of the default configuration's
  std::vector<std::string> because;
};

struct AdviceReport {
  std::string kernel;
  std::string device;
  std::string shape;
  size_t trials_here = 0;
  size_t trials_elsewhere = 0;
  std::string best;  // the fastest configuration measured here; empty: none
  double best_us = 0;
  std::vector<Suggestion> suggestions;
  std::string nothing;     // why there is no advice
  size_t advised = 0;      // earlier advice for this kernel that was tried since
  size_t advice_held = 0;  // of it, what came out in the best quarter of its place
};

Result<AdviceReport> advise(const AdviceRequest& request);
std::string to_json(const AdviceReport& report);

}  // namespace assay::work
