// SPDX-License-Identifier: MIT
// Times a kernel beside its baselines, in one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/goal.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

// How times are taken; docs/measurement.md says what each setting means.
struct Measuring {
  std::string shapes = "canonical";  // a set of the specification
  std::string shape;                 // "NAME=value,...": only this one
  std::string protocol = "graph";    // or "event"
  std::string cache = "warm";        // or "cold", "rotating"
  size_t sets = 4;                   // different inputs, used in rotation
  std::optional<size_t> order_seed;  // of order, poison and places in memory; the system's randomness otherwise
  size_t samples = 100;              // at least, of each contender
  size_t most_samples = 1200;
  double width = 0.008;  // half the interval of the ratio at which to stop
  double budget_s = 20;  // of each shape
};

struct BenchRequest {
  KernelChoice choice;                 // its kernel may be a folder of kernel folders: all of them are measured
  std::vector<std::string> baselines;  // names of the specification, "sdpa[:BACKEND]", "torch_compile", kernel folders
  std::string candidate;               // a [baseline.NAME] that takes the kernel's place
  Measuring measuring;
  std::string save;  // the name under which the measurement becomes a baseline; empty: it does not
  uint64_t seed = 1;
  RecordOptions record;
  double stop_below = 0;  // a shape at which the speed over the first baseline is less is the last one measured
};

// One contender at one shape; the candidate comes first.
struct ContenderTime {
  std::string name;
  bool good = false;      // timed, right, and no guard objected
  std::string objection;  // why it is not good
  std::optional<double> p50_us;
  std::optional<double> p90_us;
  std::optional<double> speedup;         // of the candidate over this one: above 1 the candidate is faster
  std::optional<uint64_t> device_bytes;  // device memory that one call holds at most, if its provider says
  std::string verdict;  // of the candidate beside this one: "FASTER", "SLOWER", "SAME", "INCONCLUSIVE", ...
};

struct BenchCaseDetails;

struct BenchCase {
  std::string kernel;
  std::string shape;
  std::vector<ContenderTime> contenders;
  std::optional<int64_t> attempt;  // its number in the ledger
  std::shared_ptr<const BenchCaseDetails> details;
};

struct KernelBench {
  std::string kernel;
  std::string specification;
  std::string configuration;
  std::string device;  // "cuda:0"
  std::string gpu;     // "NVIDIA H200"
  uint64_t seed = 0;
  std::vector<BenchCase> cases;
  size_t shapes_left = 0;      // that `stop_below` saved
  std::vector<GoalLine> goal;  // of the specification, judged by these cases
};

struct BenchReport {
  ExitCode exit_code = ExitCode::good;
  std::vector<KernelBench> kernels;
};

class BenchListener {
 public:
  virtual ~BenchListener() = default;
  virtual void on_kernel(const KernelBench& kernel) = 0;  // before its first case
  virtual void on_case(const BenchCase& measured) = 0;    // as soon as it is recorded
  virtual void on_goal(const KernelBench& kernel) = 0;    // after its last case, if it has a goal
};

Result<BenchReport> bench(const BenchRequest& request, const Context& context = {}, BenchListener* listener = nullptr);
std::string to_json(const BenchReport& report);

}  // namespace assay::work
