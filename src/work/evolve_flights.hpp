// SPDX-License-Identifier: MIT
// The proposals that are on their way, from answer to verdict. With workers there may be several at once. Verdicts are
// taken in the order of the questions, whichever comes first, so that no outcome depends on which worker is quick.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "base/progress.hpp"
#include "work/evolve_crew.hpp"
#include "work/evolve_state.hpp"
#include "work/proposer.hpp"

namespace assay::work {

struct InFlight {
  size_t number = 0;
  Reply reply;
  std::string parent;     // ids: as they were when it was asked for
  std::string incumbent;  // that it is judged beside
  evolve::Tabu tabu;
  uint64_t seed = 0;
  std::optional<evolve::Answer> answer;
  std::string no_answer;  // why there is none
  // --- with workers
  std::optional<Judging> judging;  // as soon as it is there
  JudgingCosts spent;              // on judgings beside incumbents that are none any more
  std::string device;

  bool is_judged() const { return answer && !answer->passes(); }
};

class EvolveFlights {
 public:
  // `base`: what all judgings have in common. `crew`: null if this process judges. `width`: how many may be on their
  // way. All but the width must outlive this; the state changes under it, by the verdicts that are taken.
  EvolveFlights(const JudgingRequest& base, const EvolveState& state, EvolveCrew* crew, size_t width,
                const Context& context)
      : base_(base), state_(state), crew_(crew), width_(width), context_(context) {}

  bool full() const { return queue_.size() >= width_; }
  size_t next_number() const { return state_.steps().size() + queue_.size() + 1; }
  // Those that are judged now, as far as they are known: number, parent and hypothesis.
  std::vector<EvolveStep> underway() const;

  // An answer to the question that the state asks now. Nobody judges it before it is sent: the journal has it first.
  const InFlight& add(Reply reply, uint64_t seed);
  Result<void> send(const InFlight& flight);
  Result<void> send_all();

  // Waits for it. The oldest stays until its verdict is in the state, and is removed then.
  Result<JudgedProposal> verdict_on_oldest(Progress& progress);
  Result<void> remove_oldest();

  size_t judged_again() const { return judged_again_; }

 private:
  JudgingRequest judging_request(const InFlight& flight) const;
  JudgingRequest judging_request_now(const InFlight& flight) const;
  Result<void> judge_again_if_stale(InFlight& flight);
  Result<Judging> judging_of(InFlight& flight, Progress& progress);

  const JudgingRequest& base_;
  const EvolveState& state_;
  EvolveCrew* const crew_;
  const size_t width_;
  const Context& context_;
  std::deque<InFlight> queue_;  // the oldest first
  size_t judged_again_ = 0;
};

}  // namespace assay::work
