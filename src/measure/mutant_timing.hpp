// SPDX-License-Identifier: MIT
// Times mutants of a kernel on a GPU, each interleaved with its control, in processes with a time limit.
// Their results are wrong by intent: nothing is read back or compared.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "base/scratch_files.hpp"
#include "gpu/gpu_model.hpp"
#include "gpu/launch_change.hpp"
#include "measure/input_set.hpp"
#include "measure/provider.hpp"
#include "measure/schedule.hpp"
#include "stats/interval.hpp"

namespace assay::measure {

struct TimedImage {
  std::string configuration;  // its id; "" for a kernel without tunables
  std::filesystem::path ptx;
  std::filesystem::path cubin;  // empty: the driver compiles the PTX
  gpu::LaunchChange change{};
};

struct MutantTime {
  double us = 0;          // median of the mutant
  double control_us = 0;  // of its control
  double ratio = 1;
  stats::Interval interval{1, 1};  // 95 %
  double clock_mhz = 0;            // 0: not known
  bool throttled = false;
};

class MutantTiming {
 public:
  struct Options {
    int device = 0;
    gpu::GpuModel model;
    std::filesystem::path instruments;
    uint64_t seed = 1;
    size_t rounds = 6;   // of one batch of the mutant and one of the control, in ABBA order
    size_t samples = 8;  // of a batch
    std::chrono::milliseconds time_limit{std::chrono::seconds(20)};  // of one request
    Context context{};
  };
  static Result<std::unique_ptr<MutantTiming>> open(const ProblemCase& problem, Options options);

  // An error is the mutant's own (a fault, a hang); the next one gets a fresh process.
  Result<MutantTime> time(const TimedImage& control, const TimedImage& mutant);
  double spent_s() const { return spent_s_; }  // on the GPU's side: preparing and sampling

 private:
  MutantTiming(const ProblemCase& problem, Options options)
      : problem_(problem), options_(std::move(options)), schedule_(2, options_.seed) {}
  struct Side {
    std::unique_ptr<Provider> provider;
    std::string prepared;  // what it holds
  };
  Result<void> prepare(Side& side, const TimedImage& image, const char* name);
  Result<std::vector<double>> sample(Side& side, const BatchPlan& plan, MutantTime& into);

  ProblemCase problem_;
  Options options_;
  Schedule schedule_;
  Protocol protocol_;
  std::optional<ScratchFiles> scratch_;
  std::vector<InputSet> sets_;
  Side control_;
  Side mutant_;
  double spent_s_ = 0;
};

}  // namespace assay::measure
