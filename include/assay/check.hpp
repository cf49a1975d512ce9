// SPDX-License-Identifier: MIT
// Compares a kernel's results with a float64 reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/finding.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct CheckRequest {
  KernelChoice choice;       // configuration "all": each of them
  std::string shape;         // "NAME=value,..."; empty: those of the specification, then random ones
  std::string distribution;  // of the inputs, with a shape; empty: as the specification says
  size_t fuzz = 16;          // random shapes after the specified ones
  bool check_memory = true;  // every access; false: guard bytes around buffers
  std::string fmad = "off";  // "on": fuse products and sums that ptxas may contract; "both": run it both ways
  size_t repetitions = 1;    // launches of the largest specified case, which must give the same bits
  uint64_t seed = 1;
  CaseLimits limits;
  RecordOptions record;
};

struct CaseReport {
  std::string shape;
  std::string distribution;
  uint64_t seed = 0;
  std::string outcome;  // "passed", "wrong_value", "nan", "fault", ...
  std::string message;
  int64_t elements_compared = 0;
  double largest_error = 0;  // absolute
};

struct CheckDetails;

// One configuration.
struct ConfigurationCheck {
  ExitCode exit_code = ExitCode::good;
  std::string verdict;  // "correct"; "incorrect"; "not judged": for the device, the reference or the time
  std::string kernel;
  std::string configuration;
  std::string device;
  bool validated = false;  // correct, and the same bits in at least 100 launches
  std::vector<CaseReport> cases;
  std::vector<Finding> findings;  // of the case that failed
  std::shared_ptr<const CheckDetails> details;

  bool correct() const { return exit_code == ExitCode::good; }
};

struct CheckReport {
  ExitCode exit_code = ExitCode::good;  // the worst
  std::string verdict;
  std::vector<ConfigurationCheck> configurations;

  bool correct() const { return exit_code == ExitCode::good; }
};

// `on_configuration` hears of each as soon as it is recorded.
Result<CheckReport> check(const CheckRequest& request, const Context& context = {},
                          const std::function<void(const ConfigurationCheck&)>& on_configuration = {});
std::string to_json(const CheckReport& report);

}  // namespace assay::work
