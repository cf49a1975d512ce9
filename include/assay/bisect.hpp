// SPDX-License-Identifier: MIT
// Finds the commit that changed a counter of a kernel or broke a check, on a virtual GPU.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct BisectRequest {
  KernelChoice choice;   // without a device: the virtual GPU that suits
  std::string judge;     // "counter", "check" or "sanitize"
  std::string counter;   // of the first: its name (docs/counters.md)
  double threshold = 0;  // of a counter: changes up to this share are none
  std::string good;      // a commit; empty: looked for backwards from the bad one
  std::string bad = "HEAD";
  std::string shape;
  size_t fuzz = 0;  // of check: random shapes beside those of the specification
  uint64_t seed = 1;
  CaseLimits limits;
  RecordOptions record;
};

struct JudgedCommit {
  std::string id;
  std::string mark;             // "good", "bad" or "skipped"
  std::optional<double> value;  // of the counter
  std::string reason;           // why it is bad, or was skipped
};

struct SuspectCommit {
  std::string id;
  std::string short_id;
  std::string author;
  std::string date;
  std::string subject;
};

struct BisectReport {
  ExitCode exit_code = ExitCode::good;  // inconclusive: several suspects, or nothing changed
  std::string verdict;                  // "found", "one of these", "no change"
  std::string kernel;                   // its folder in the repository
  std::string device;
  std::string judge;
  std::string reason;                   // what is wrong from there on: "instructions 1024 -> 1152"
  std::vector<SuspectCommit> suspects;  // one if it was found; the oldest first
  std::vector<JudgedCommit> judged;     // in the order in which they were looked at
  size_t commits = 0;                   // between good and bad
  size_t reused = 0;                    // judged by an earlier run that was interrupted
};

Result<BisectReport> bisect(const BisectRequest& request, const Context& context = {});
std::string to_json(const BisectReport& report);

}  // namespace assay::work
