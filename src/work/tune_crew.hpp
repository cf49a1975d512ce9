// SPDX-License-Identifier: MIT
// A tuning's evaluations, done by workers: each is `assay tune --only CONFIGURATION` on some machine. Times of
// different GPUs are never compared. Every worker measures the same configuration beside its candidate, and the
// candidate's time is given as a multiple of that, in the unit of the first GPU that answered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/tune.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "work/task_crew.hpp"
#include "work/tune_journal.hpp"

namespace assay::work {

class TuneCrew {
 public:
  // `beside`: measured with every candidate; empty: what is counted is the same everywhere.
  static Result<std::unique_ptr<TuneCrew>> gather(const spec::KernelSpec& spec, const TuneRequest& request,
                                                  const std::string& device, const std::string& beside,
                                                  const std::filesystem::path& folder, const Context& context);

  // What a worker knows of its GPU and of what it builds with.
  struct Facts {
    std::string gpu;  // the model's name
    std::string target;
    TuneDependencies depends;
  };
  Result<Facts> probe();

  size_t open_items() const { return crew_->open_tasks(); }
  size_t most_open() const { return 2 * crew_->workers(); }  // one more for each worker than it can do
  Result<void> put(const std::string& configuration);
  // Waits. What concerns a machine and not the candidate is tried again, and has the failure "machine" in the end.
  Result<TunedConfiguration> next();
  // All of them against each other on every GPU that is there; then the devices know their tie groups.
  // The regret bound of each, on the GPU where it is the largest.
  Result<std::map<std::string, double>> race(const std::vector<std::string>& finalists);

  std::vector<TuneDevice> devices() const;
  size_t workers_started() const { return crew_->workers_started(); }
  std::string state() const { return crew_->state(); }

 private:
  TuneCrew(const spec::KernelSpec& spec, const TuneRequest& request, std::string device, std::string beside)
      : spec_(spec), request_(request), device_(std::move(device)), beside_(std::move(beside)) {}
  std::vector<std::string> words(const std::vector<std::string>& only, bool race) const;
  TunedConfiguration read(const TaskAnswer& answer);

  const spec::KernelSpec& spec_;
  const TuneRequest& request_;
  const std::string device_;
  const std::string beside_;
  bool beside_worked_ = false;                                            // on the first worker
  std::unique_ptr<TaskCrew> crew_;                                        // a task has the name of its configuration
  std::map<std::string, size_t> evaluations_;                             // by device
  std::map<std::string, std::vector<std::string>> tie_groups_;            // by device
  std::map<std::string, std::vector<std::vector<double>>> beside_times_;  // of a device: by evaluation, by shape
  std::vector<double> unit_;  // what the configuration beside took on the first GPU that answered, by shape
};

}  // namespace assay::work
