// SPDX-License-Identifier: MIT
// The judging of an evolution's proposals, done by workers: each is `assay evolve --judge REQUEST` on some machine,
// where the candidate is raced beside the incumbent. What comes back are ratios, so that it does not matter which of
// several GPUs measured them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/evolve.hpp"
#include "work/evolve_exchange.hpp"
#include "work/task_crew.hpp"

namespace assay::work {

class EvolveCrew {
 public:
  // `folder`: of this run's work.
  static Result<std::unique_ptr<EvolveCrew>> gather(const ExecutorOptions& options, const std::filesystem::path& folder,
                                                    const Context& context);

  // The first kernel on a worker's GPU; waits.
  Result<FirstTrial> try_first(const FirstRequest& request);

  Result<void> put(size_t proposal, const JudgingRequest& request);
  struct Answered {
    size_t proposal = 0;
    Judging judging;
    std::string device;  // that it was judged on
  };
  // Whichever comes first; waits. An error: no machine could judge it.
  Result<Answered> next();
  Result<void> tend() { return crew_->tend(); }

  // The last incumbent, as one change of the first kernel and beside it, through all gates, on every GPU that is there.
  // `request`: what all judgings have in common, and the seed.
  Result<void> race_finalist(JudgingRequest request, const evolve::Candidate& first, const evolve::Candidate& best);

  std::vector<EvolveDevice> devices() const;
  size_t workers() const { return crew_->workers(); }
  size_t workers_started() const { return crew_->workers_started(); }
  std::string state() const { return crew_->state(); }

 private:
  // What a worker's document is read with.
  struct Asked {
    evolve::Candidate parent;
    evolve::Answer answer;
    evolve::FileRules rules;
  };

  EvolveCrew(std::unique_ptr<TaskCrew> crew, JudgingStore store) : crew_(std::move(crew)), store_(std::move(store)) {}
  Result<Task> task(const std::string& name, const JudgingRequest& request);

  std::unique_ptr<TaskCrew> crew_;
  const JudgingStore store_;
  std::map<std::string, Asked> asked_;             // by task
  std::map<std::string, EvolveDevice> finalists_;  // by device
};

}  // namespace assay::work
