// SPDX-License-Identifier: MIT
// Where an evolution stands: every judged proposal, fresh or recalled, goes through one function, so that one that was
// interrupted goes on as if nothing had been.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evolve/archive.hpp"
#include "evolve/stop_rule.hpp"
#include "evolve/tabu.hpp"
#include "work/evolve_step.hpp"

namespace assay::work {

class EvolveState {
 public:
  // `shapes`: of the specification, with the first kernel's times.
  EvolveState(evolve::Candidate first, const std::string& hash, const evolve::Cell& cell,
              std::vector<EvolvedShape> shapes);

  void apply(const JudgedProposal& judged);

  const evolve::Candidate& first() const { return candidates_.at(first_); }
  const evolve::Candidate& incumbent() const { return candidates_.at(incumbent_); }
  const evolve::Candidate& candidate(const std::string& id) const { return candidates_.at(id); }
  const evolve::Candidate& parent() const;  // of the next proposal
  const evolve::Archive& archive() const { return archive_; }
  const evolve::Tabu& tabu() const { return tabu_; }
  const std::vector<EvolveStep>& steps() const { return steps_; }
  const EvolveCosts& costs() const { return costs_; }
  size_t accepted() const { return accepted_; }
  size_t failures() const { return failures_; }  // answers in a row that were none
  double speedup() const { return speedup_; }
  // A kernel beside the first one, on the specification's shapes.
  const std::vector<EvolvedShape>& against_first(const std::string& id) const { return against_first_.at(id); }
  // From the first kernel to this one.
  std::vector<EvolveStep> lineage_of(const std::string& id) const;
  evolve::Standing standing() const;

 private:
  std::string first_;
  std::string incumbent_;
  std::map<std::string, evolve::Candidate> candidates_;  // that were raced in full
  std::map<std::string, std::vector<EvolvedShape>> against_first_;
  std::map<std::string, EvolveStep> made_by_;
  std::vector<EvolveStep> steps_;
  evolve::Archive archive_;
  evolve::Tabu tabu_;
  EvolveCosts costs_;
  size_t accepted_ = 0;
  size_t since_accepted_ = 0;
  size_t passes_ = 0;
  size_t failures_ = 0;
  double speedup_ = 1;
};

}  // namespace assay::work
