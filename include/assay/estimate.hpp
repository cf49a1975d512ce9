// SPDX-License-Identifier: MIT
// The time of one case on a GPU that is not here, from exact counts of a virtual GPU and the GPU's rates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct EstimateRequest {
  KernelChoice choice;  // without a device: the virtual GPU that is most like this machine's
  std::string shape;    // empty: the first of the specification
  uint64_t seed = 1;
  uint64_t blocks = 24;  // run at most so many blocks, if they can stand for the others; 0: all
  CaseLimits limits;
  RecordOptions record;
};

struct EstimatedResource {
  std::string name;
  double time_us = 0;  // that it alone would take
  double share = 0;    // of the estimated time
};

// One kernel of a call that has several.
struct EstimatedPart {
  std::string name;  // of the stage
  double time_us = 0;
  double low_us = 0;
  double high_us = 0;
  double lower_bound_us = 0;
  std::string limiter;
};

struct EstimateDetails;

struct EstimateReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string configuration;
  std::string device;
  std::string shape;
  double time_us = 0;  // estimated
  double low_us = 0;
  double high_us = 0;
  double lower_bound_us = 0;
  std::string limiter;
  bool sampled = false;  // some blocks stood for all
  std::vector<EstimatedResource> resources;
  std::vector<EstimatedPart> stages;  // of a call with several kernels: the times above are sums of theirs
  std::string rates_measured;         // when the rates were measured here; empty: they are the model's
  std::shared_ptr<const EstimateDetails> details;
};

Result<EstimateReport> estimate(const EstimateRequest& request, const Context& context = {});
std::string to_json(const EstimateReport& report);

}  // namespace assay::work
