// SPDX-License-Identifier: MIT
// Is A faster than B?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct CompareRequest {
  std::string candidate;  // two kernel folders, measured side by side; or two attempts of the ledger
  std::string baseline;
  std::string configuration;
  std::string device;
  Measuring measuring;
  bool force = false;  // compare attempts of different contracts
  uint64_t seed = 1;
  RecordOptions record;
};

struct ComparedCaseDetails;

struct ComparedCase {
  ExitCode exit_code = ExitCode::good;
  std::string what;       // the shape, or the attempts
  std::string verdict;    // "FASTER", "SLOWER", "SAME", "INCONCLUSIVE", "THROTTLED"; "INCORRECT": a side is not good
  double ratio = 1;       // candidate / baseline time: above 1 the candidate is slower
  std::string objection;  // to one of the sides
  std::shared_ptr<const ComparedCaseDetails> details;
};

struct CompareDetails;

struct CompareReport {
  ExitCode exit_code = ExitCode::good;  // the worst
  std::vector<ComparedCase> cases;
  std::shared_ptr<const CompareDetails> details;
};

Result<CompareReport> compare(const CompareRequest& request, const Context& context = {},
                              const std::function<void(const ComparedCase&)>& on_case = {});
std::string to_json(const CompareReport& report);

}  // namespace assay::work
