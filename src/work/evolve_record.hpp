// SPDX-License-Identifier: MIT
// An evolution in the ledger: an attempt for the first kernel and one for each judged proposal, with its sources and
// its hypothesis as a note. `assay log lineage` reads them back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "work/evolve_folder.hpp"
#include "work/evolve_judging.hpp"
#include "work/evolve_state.hpp"
#include "work/recording.hpp"

namespace assay::work {

class EvolveRecord {
 public:
  // `evolution`: its id. `known`: "measured" or "estimated". What is passed by reference must outlive this.
  EvolveRecord(Recording& recording, const EvolveState& state, const KernelSnapshot& snapshot, std::string evolution,
               std::string known)
      : recording_(recording),
        state_(state),
        snapshot_(snapshot),
        evolution_(std::move(evolution)),
        known_(std::move(known)) {}

  Result<void> write_first(uint64_t seed, const JudgingCosts& costs);
  Result<void> write(const JudgedProposal& judged);

 private:
  std::vector<ledger::SourceFile> sources_of(const evolve::Candidate& candidate) const;
  Result<void> append(const EvolveStep& step, const evolve::Candidate& candidate);

  Recording& recording_;
  const EvolveState& state_;
  const KernelSnapshot& snapshot_;
  const std::string evolution_;
  const std::string known_;
};

}  // namespace assay::work
