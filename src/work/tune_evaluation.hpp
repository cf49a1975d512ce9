// SPDX-License-Identifier: MIT
// Evaluates one configuration: correct before fast. It runs under all checks of a virtual GPU and against the reference
// on a small shape first; only then it is timed on the GPU or, where there is none, counted.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/tune.hpp"
#include "build/builder.hpp"
#include "device/device.hpp"
#include "measure/input_set.hpp"
#include "measure/provider.hpp"
#include "measure/schedule.hpp"
#include "spec/shape.hpp"

namespace assay::work {

// One configuration at one shape, ready to be sampled.
class TimedConfiguration {
 public:
  TimedConfiguration(std::unique_ptr<measure::Provider> provider, size_t sets, uint64_t seed)
      : provider_(std::move(provider)), sets_(sets), schedule_(1, seed) {}

  Result<std::vector<double>> sample(size_t count);  // milliseconds

 private:
  std::unique_ptr<measure::Provider> provider_;
  size_t sets_;
  measure::Schedule schedule_;
};

class TuneEvaluator {
 public:
  static Result<std::unique_ptr<TuneEvaluator>> make(const spec::KernelSpec& spec, const TuneRequest& request,
                                                     const std::string& device, const Context& context);
  TuneEvaluator(const TuneEvaluator&) = delete;
  TuneEvaluator& operator=(const TuneEvaluator&) = delete;

  const std::string& device_name() const { return name_; }
  const std::string& twin() const { return twin_; }  // the virtual GPU that checks
  const std::string& target() const { return target_; }
  const gpu::GpuModel& model() const { return device_->model(); }
  bool measures() const { return ordinal_.has_value(); }  // false: it counts
  const std::vector<spec::Shape>& shapes() const { return shapes_; }

  // In two steps; an error of either concerns more than this configuration: the machine, the specification, an
  // interruption. First whether it is correct, which needs no GPU: several may be examined at once.
  Result<TunedConfiguration> examine(const build::BuildResult& built) const;
  // Then how fast, if nothing failed before. `best_by_shape`: of the best so far, for bailing out; empty: there is
  // none.
  Result<void> measure(const build::BuildResult& built, const std::vector<double>& best_by_shape,
                       TunedConfiguration& result);
  // Whether it is correct on the GPU as well; a failure stands in the result.
  Result<bool> correct_on_gpu(const build::BuildResult& built, TunedConfiguration& result) const {
    return is_correct(built, name_, result);
  }
  // Several that will be measured next, made ready side by side: most of a measurement is the start of its process.
  // What was measured before ends meanwhile, and nothing is timed. Whoever fails in company is started again, alone.
  void open_together(const std::vector<const build::BuildResult*>& built);
  // How many may be open at once: their inputs are all on the GPU.
  size_t most_open() const { return most_open_; }
  bool is_open(const std::string& configuration) const { return open_.contains(configuration); }

  // For the race, on a GPU alone.
  Result<std::unique_ptr<TimedConfiguration>> timed(const build::BuildResult& built, size_t shape);

 private:
  TuneEvaluator(const spec::KernelSpec& spec, const TuneRequest& request, Context context)
      : spec_(spec), request_(request), context_(std::move(context)) {}
  Result<void> open_timing();
  Result<bool> is_correct(const build::BuildResult& built, const std::string& device, TunedConfiguration& result) const;
  Result<void> count(const build::BuildResult& built, TunedConfiguration& result);
  Result<std::unique_ptr<TimedConfiguration>> opened(const build::BuildResult& built, size_t shape);
  Result<void> time(const build::BuildResult& built, const std::vector<double>& best_by_shape,
                    TunedConfiguration& result);

  const spec::KernelSpec& spec_;
  const TuneRequest& request_;
  Context context_;
  std::string name_;
  std::string twin_;  // the virtual GPU that checks
  std::string target_;
  std::unique_ptr<device::Device> device_;
  std::optional<int> ordinal_;
  std::vector<spec::Shape> shapes_;
  // timing
  std::filesystem::path instruments_;
  std::unique_ptr<ScratchFiles> scratch_;
  std::vector<std::vector<measure::InputSet>> sets_;  // by shape
  size_t most_open_ = 1;
  std::map<std::string, std::unique_ptr<TimedConfiguration>> open_;  // at the first shape, by configuration
  double opening_s_ = 0;                                             // of each of these
  std::vector<std::unique_ptr<TimedConfiguration>> measured_;        // not ended yet
};

}  // namespace assay::work
