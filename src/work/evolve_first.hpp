// SPDX-License-Identifier: MIT
// The kernel that an evolution begins with, on the GPU: whether it is right there, how fast it is, and how far behind
// its baseline. One function of one request, so that a worker can do it where the GPU is.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "work/evolve_judging.hpp"

namespace assay::work {

struct FirstRequest {
  std::string kernel;         // its specification
  std::string configuration;  // as it was asked for
  std::string device;         // a GPU
  std::string baseline;       // a kernel folder; empty: the specification's baselines
  bool beside_baseline = true;
  uint64_t seed = 0;
  CaseLimits limits;
  RecordOptions record;
};

struct FirstTrial {
  std::string virtual_device;              // that stands for the GPU where nothing is timed
  std::string wrong;                       // why it is not correct; "" if it is, and only then it was timed
  std::map<std::string, double> times_us;  // by shape
  std::optional<double> speed;  // of that of the fastest baseline, on the first shape; nothing: there is none
  JudgingCosts costs;
};

Result<FirstTrial> try_first(const FirstRequest& request, const Context& context);

}  // namespace assay::work
