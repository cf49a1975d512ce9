// SPDX-License-Identifier: MIT
// One proposal, from answer to verdict: the gates in order, the cheapest first. It is one function of one request,
// which holds all that the verdict depends on, so that another process or machine can do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/diagnose.hpp"
#include "assay/kernel_choice.hpp"
#include "evolve/acceptance.hpp"
#include "evolve/archive.hpp"
#include "evolve/candidate.hpp"
#include "evolve/ptx_facts.hpp"
#include "evolve/tabu.hpp"
#include "work/evolve_folder.hpp"

namespace assay::work {

struct JudgingRequest {
  KernelSnapshot snapshot;
  evolve::Candidate parent;     // that the answer changes
  evolve::Candidate incumbent;  // that it is raced against
  evolve::Answer answer;
  std::string configuration;     // whose values stay while new tunables are tried; empty: the parent's
  evolve::PtxFacts first_facts;  // of the kernel that the evolution began with
  evolve::Tabu tabu;
  evolve::AcceptanceRule rule;
  std::string device;          // that races are run on: a GPU, or a virtual one, on which times are estimated
  std::string virtual_device;  // that checks and counts
  uint64_t seed = 0;           // of shapes and inputs, drawn after the answer came
  size_t held_out = 12;        // random shapes of the check
  double build_seconds = 120;  // of one compilation
  CaseLimits limits;
  RecordOptions record;  // of what a GPU measures
};

struct JudgingCosts {
  double compile_s = 0;
  double virtual_s = 0;  // of the virtual GPU, on this machine
  double gpu_s = 0;
};

struct Judging {
  std::string verdict;  // "accepted", "lost", "refused"
  std::string gate;     // the last one that looked at it
  std::string text;     // why: for the proposer
  evolve::Candidate candidate;
  std::string hash;  // of what it compiles to; "" if it does not
  std::vector<evolve::RaceShape> shapes;
  std::optional<bool> hypothesis_held;  // nothing: no counter was named, or none was counted
  std::optional<evolve::Cell> cell;     // of one that was raced in full
  JudgingCosts costs;
};

// A verdict that was found while others were taken, as it is now: what was tried meanwhile counts, with the tabu of
// `request`. True: it was found beside another incumbent and depends on that, so that it must be judged again.
bool bring_up_to_date(Judging& judging, const JudgingRequest& request, const std::string& judged_beside);

// An error is none of the candidate: the user's interruption, a machine that lacks something.
Result<Judging> judge_proposal(const JudgingRequest& request, const Context& context);

}  // namespace assay::work
