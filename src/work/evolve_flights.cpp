// SPDX-License-Identifier: MIT
#include "work/evolve_flights.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "evidence/unified_diff.hpp"

namespace assay::work {
namespace {

void add_costs(JudgingCosts& sum, const JudgingCosts& further) {
  sum.compile_s += further.compile_s;
  sum.virtual_s += further.virtual_s;
  sum.gpu_s += further.gpu_s;
}

// What the proposer said of its own proposal.
void describe(const evolve::Answer& answer, EvolveStep& step) {
  step.hypothesis = answer.hypothesis.text;
  step.counter = answer.hypothesis.counter;
  step.costs.tokens_in = answer.costs.tokens_in;
  step.costs.tokens_out = answer.costs.tokens_out;
  step.costs.money = answer.costs.money;
}

// What the gates found.
void take(Judging found, const evolve::Candidate& parent, JudgedProposal& judged) {
  EvolveStep& step = judged.step;
  step.id = found.candidate.id;
  step.verdict = found.verdict;
  step.gate = found.gate;
  step.text = found.text;
  step.hypothesis_held = found.hypothesis_held;
  for (const evolve::RaceShape& each : found.shapes)
    step.shapes.push_back({each.shape, each.drawn, each.time_us, each.incumbent_us, each.ratio, each.low, each.high});
  if (!found.shapes.empty()) step.ratio = evolve::geometric_mean_ratio(found.shapes);
  if (found.cell) step.cell = evolve::to_string(*found.cell);
  if (!found.candidate.id.empty()) step.diff = evidence::unified_diff(parent.files, found.candidate.files);
  step.costs.compile_s = found.costs.compile_s;
  step.costs.virtual_s = found.costs.virtual_s;
  step.costs.gpu_s = found.costs.gpu_s;
  judged.candidate = std::move(found.candidate);
  judged.hash = found.hash;
  judged.cell = found.cell;
}

}  // namespace

std::vector<EvolveStep> EvolveFlights::underway() const {
  std::vector<EvolveStep> steps;
  for (const InFlight& each : queue_) {
    if (!each.is_judged()) continue;
    EvolveStep& step = steps.emplace_back();
    step.proposal = each.number;
    step.parent = each.parent;
    step.hypothesis = each.answer->hypothesis.text;
  }
  return steps;
}

const InFlight& EvolveFlights::add(Reply reply, uint64_t seed) {
  const size_t number = next_number();
  InFlight& flight = queue_.emplace_back();
  flight.number = number;
  flight.reply = std::move(reply);
  flight.parent = state_.parent().id;
  flight.incumbent = state_.incumbent().id;
  flight.tabu = state_.tabu();
  flight.seed = seed;
  flight.no_answer = flight.reply.failure;
  if (!flight.no_answer.empty()) return flight;
  auto answer = evolve::read_answer(flight.reply.output, flight.number);
  if (answer) {
    flight.answer = std::move(*answer);
  } else {
    flight.no_answer = to_string(answer.error());
  }
  return flight;
}

Result<void> EvolveFlights::send(const InFlight& flight) {
  if (crew_ == nullptr || !flight.is_judged()) return {};
  return crew_->put(flight.number, judging_request(flight));
}

Result<void> EvolveFlights::send_all() {
  for (const InFlight& each : queue_) ASSAY_CHECK(send(each));
  return {};
}

Result<JudgedProposal> EvolveFlights::verdict_on_oldest(Progress& progress) {
  InFlight& flight = queue_.front();
  progress.step(fmt::format("proposal {}: the gates", flight.number));
  const evolve::Candidate& parent = state_.candidate(flight.parent);
  JudgedProposal judged;
  EvolveStep& step = judged.step;
  step.proposal = flight.number;
  step.parent = parent.id;
  step.costs.proposer_s = flight.reply.seconds;
  step.gate = "answer";
  step.verdict = "refused";
  step.text = flight.no_answer;
  if (!flight.answer) return judged;
  describe(*flight.answer, step);
  if (flight.answer->passes()) {
    step.verdict = "passed";
    step.text = "the proposer passed";
    return judged;
  }
  step.seed = flight.seed;
  ASSAY_TRY(Judging found, judging_of(flight, progress));
  step.device = flight.device;
  take(std::move(found), parent, judged);
  return judged;
}

// A new incumbent makes stale what the others were raced beside.
Result<void> EvolveFlights::remove_oldest() {
  if (!queue_.empty()) queue_.pop_front();
  for (InFlight& each : queue_) ASSAY_CHECK(judge_again_if_stale(each));
  return {};
}

JudgingRequest EvolveFlights::judging_request(const InFlight& flight) const {
  JudgingRequest request = base_;
  request.parent = state_.candidate(flight.parent);
  request.incumbent = state_.candidate(flight.incumbent);
  request.answer = *flight.answer;
  request.tabu = flight.tabu;
  request.seed = flight.seed;
  return request;
}

// As the state is now.
JudgingRequest EvolveFlights::judging_request_now(const InFlight& flight) const {
  JudgingRequest request = judging_request(flight);
  request.incumbent = state_.incumbent();
  request.tabu = state_.tabu();
  return request;
}

// What was raced beside an incumbent that is none any more is judged again.
Result<void> EvolveFlights::judge_again_if_stale(InFlight& flight) {
  if (!flight.judging) return {};
  Judging judging = *flight.judging;
  if (!bring_up_to_date(judging, judging_request_now(flight), flight.incumbent)) return {};
  add_costs(flight.spent, flight.judging->costs);
  flight.judging.reset();
  flight.incumbent = state_.incumbent().id;
  flight.tabu = state_.tabu();
  ++judged_again_;
  return send(flight);
}

Result<Judging> EvolveFlights::judging_of(InFlight& flight, Progress& progress) {
  if (crew_ == nullptr) return judge_proposal(judging_request_now(flight), context_);
  ASSAY_CHECK(judge_again_if_stale(flight));
  while (!flight.judging) {
    progress.step(fmt::format("proposal {}: workers: {}", flight.number, crew_->state()));
    ASSAY_TRY(EvolveCrew::Answered answered, crew_->next());
    const auto which = std::ranges::find(queue_, answered.proposal, &InFlight::number);
    if (which == queue_.end()) continue;
    which->judging = std::move(answered.judging);
    which->device = answered.device;
    ASSAY_CHECK(judge_again_if_stale(*which));
  }
  Judging judging = *flight.judging;
  bring_up_to_date(judging, judging_request_now(flight), flight.incumbent);
  add_costs(judging.costs, flight.spent);
  return judging;
}

}  // namespace assay::work
