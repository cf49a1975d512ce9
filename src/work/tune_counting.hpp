// SPDX-License-Identifier: MIT
// What a configuration would take, before anything is timed. The virtual GPU runs a few blocks of what is built and
// counts; what is not built yet is predicted from its neighbours' counts, with the grid, the threads and the shared
// memory that its own launch has. Rates, occupancy and the last wave then make a time of it (estimate/).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/tune.hpp"
#include "build/builder.hpp"
#include "gpu/gpu_model.hpp"
#include "gpu/launch_work.hpp"
#include "spec/shape.hpp"
#include "tune/features.hpp"
#include "work/case_rates.hpp"
#include "work/tune_space.hpp"

namespace assay::work {

// What was counted of one configuration, by shape.
struct BlockCounts {
  // One kernel of the call; a call usually has one.
  struct OfStage {
    gpu::LaunchWork work;
    double registers = 0;
    double static_shared_bytes = 0;
  };
  struct OfShape {
    std::vector<OfStage> stages;
    double time_us = 0;  // of all of them
  };
  std::vector<OfShape> shapes;
  double seconds = 0;
  std::string problem;  // why there is nothing; empty: there is
};

class TuneCounting {
 public:
  struct Options {
    std::string device;  // a virtual one
    uint64_t seed = 1;
    CaseLimits limits;
    std::optional<StoredRates> measured = {};  // rates for the model's
  };
  TuneCounting(const spec::KernelSpec& spec, const std::vector<spec::Shape>& shapes, const gpu::GpuModel& model,
               Options options, Context context);

  // Why nothing can be counted of this kernel at all; empty: nothing is known against it.
  static std::string why_not(const spec::KernelSpec& spec);

  // A few blocks of each shape. Several threads may ask at once.
  BlockCounts count(const build::BuildResult& built) const;

  void add(const std::string& configuration, BlockCounts counts);  // once for each
  bool knows(const std::string& configuration) const { return counted_.contains(configuration); }
  size_t counted() const { return counted_.size(); }  // of those, how many could be
  size_t failed() const { return failed_; }
  const std::string& problem() const { return problem_; }  // of the first that could not
  double seconds() const { return seconds_; }

  // The predicted time of each configuration of the space, in microseconds; NaN where nothing can be said. Empty if too
  // few were counted.
  std::vector<double> predict(const KernelSpace& space) const;

 private:
  std::optional<double> estimated(const spec::Configuration& configuration, const spec::StageSpec& stage, size_t shape,
                                  BlockCounts::OfStage counts) const;
  std::optional<double> estimated(const spec::Configuration& configuration, size_t shape,
                                  std::vector<BlockCounts::OfStage> stages) const;

  const spec::KernelSpec& spec_;
  std::vector<spec::Shape> shapes_;
  const gpu::GpuModel& model_;
  Options options_;
  CaseRates rates_;
  Context context_;
  std::map<std::string, BlockCounts> counted_;
  size_t failed_ = 0;
  std::string problem_;
  double seconds_ = 0;
};

}  // namespace assay::work
