// SPDX-License-Identifier: MIT
// How often the judgement raises a false alarm on this GPU, and how small a slowdown it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct CalibrateRequest {
  KernelChoice choice;
  std::string candidate;  // a [baseline.NAME] that takes the kernel's place
  Measuring measuring;
  size_t pairs = 200;   // comparisons of the kernel with itself
  size_t trials = 100;  // comparisons with each injected slowdown
  std::vector<double> slowdowns{0.01, 0.02, 0.03, 0.05};
  double stop_after_s = 0;  // go on another time after so many seconds; 0: do all
  bool restart = false;     // forget what an earlier run began
  uint64_t seed = 1;
  RecordOptions record;
};

struct CalibrateDetails;

struct CalibrateReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string configuration;
  std::string device;
  std::string gpu;
  std::string shape;
  double kernel_us = 0;
  size_t comparisons = 0;
  size_t false_verdicts = 0;
  std::optional<double> smallest_detected;  // slowdown
  bool complete = true;                     // false: stopped, and the same request goes on where it was
  std::shared_ptr<const CalibrateDetails> details;
};

Result<CalibrateReport> calibrate(const CalibrateRequest& request, const Context& context = {});
std::string to_json(const CalibrateReport& report);

// The same of simulated runs, on any machine: noise by length by verdict. Finished cells are kept in the cache.
struct SimulateRequest {
  size_t runs = 10'000;  // of each cell
  bool restart = false;
  uint64_t seed = 1;
};

struct SimulateReport {
  ExitCode exit_code = ExitCode::good;  // a regression where a cell does not hold what is promised
  std::string table;                    // Markdown
  std::string document;                 // JSON
};

Result<SimulateReport> simulate(const SimulateRequest& request, const Context& context = {});

}  // namespace assay::work
