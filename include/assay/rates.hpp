// SPDX-License-Identifier: MIT
// What the parts of a GPU of this machine reach, measured, beside what its model says. Kept for this machine, and used
// by estimates for this GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct RatesRequest {
  std::string device;    // "cuda:0"; empty: the first
  RecordOptions record;  // its ledger keeps them
};

struct ComparedRate {
  std::string name;
  std::string unit;
  double measured = 0;
  std::optional<double> model;  // what the GPU's model says, if there is one
  std::string refused;          // why it cannot be right; such a rate is not kept
};

struct RatesReport {
  ExitCode exit_code = ExitCode::good;  // inconclusive: a rate was refused
  std::string device;
  std::string gpu;    // "NVIDIA H200"
  std::string model;  // "h200"; empty if no model is of this GPU
  std::string time;   // when it was measured, UTC
  double seconds = 0;
  std::vector<ComparedRate> rates;
  bool stored = false;
  std::string not_stored;  // why
};

Result<RatesReport> measure_rates(const RatesRequest& request, const Context& context = {});
std::string to_json(const RatesReport& report);

}  // namespace assay::work
