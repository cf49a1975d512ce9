// SPDX-License-Identifier: MIT
// New inputs, timed on their first call: a memoising kernel returns a stale result, or is slow on new inputs. To be
// slow once is no proof, since others may use the GPU too: a suspicion is looked into in further processes.
#include <fmt/format.h>

#include "measure/fresh_look.hpp"
#include "measure/session.hpp"
#include "measure/session_state.hpp"
#include "stats/quantile.hpp"

namespace assay::measure {

// The last set gets `contents`, another one what it holds already: both calls are the first after a write. Others go
// before them, so that the clocks are up.
Result<Session::FreshRound> Session::fresh_round(State& state, const InputSet& contents) {
  constexpr size_t kOthersFirst = 6;
  const size_t last = sets_.size() - 1;
  const bool others = sets_.size() > 2;  // beside the two; without them all calls come without others before
  const size_t known = last == 0 ? 0 : random_.below(last);
  ASSAY_CHECK(state.provider().write(last, contents.files));
  if (known != last) ASSAY_CHECK(state.provider().write(known, sets_[known].files));
  std::vector<size_t> order;
  for (size_t set = 0; others && order.size() < kOthersFirst; set = (set + 1) % last) {
    if (set != known) order.push_back(set);
  }
  const bool known_first = known != last && random_.below(2) == 0;
  if (known_first) order.push_back(known);
  const size_t at = order.size();
  order.push_back(last);
  if (known != last && !known_first) order.push_back(known);
  ASSAY_TRY(const SampleBatch batch, state.provider().sample(order, schedule_.poisons(order.size())));
  FreshRound round{batch.us[at], {}, batch.fingerprints[at]};
  if (known != last) round.known_us = batch.us[known_first ? at - 1 : at + 1];
  return round;
}

Result<FreshLook> Session::look_at_fresh(State& state, const std::vector<InputSet>& fresh,
                                         const reference::Outputs* expected_of_first) {
  FreshLook look;
  const size_t last = sets_.size() - 1;
  for (size_t i = 0; i < fresh.size(); ++i) {
    ASSAY_TRY(const FreshRound round, fresh_round(state, sets_[last]));
    look.before_us.push_back(round.us);
    if (round.known_us) look.before_us.push_back(*round.known_us);
  }
  for (size_t i = 0; i < fresh.size(); ++i) {
    ASSAY_TRY(const FreshRound round, fresh_round(state, fresh[i]));
    look.fresh_us.push_back(round.us);
    if (round.known_us) look.beside_us.push_back(*round.known_us);
    ASSAY_TRY(const OutputBytes outputs, read_outputs(state, last));
    if (state.result->deterministic && fingerprint(outputs) != round.fingerprint)
      state.result->guards.fail(GuardKind::fingerprint, "the output changed after the timed call");
    if (i == 0)
      verify_outputs(state, expected_of_first, outputs, GuardKind::fresh_inputs,
                     "inputs seen for the first time, after timing");
  }
  return look;
}

// In a process that knows nothing yet, with contents that no process has seen.
Result<FreshLook> Session::look_again(State& state) {
  const auto failure = [&] { return state.result->failure.value(); };
  launch(state);
  if (!state.out()) greet(state);
  if (!state.out()) prepare(state);
  if (state.out()) return failure();
  const BatchPlan warm_up = schedule_.plan(options_.sampling.plan.batch, sets_.size());
  ASSAY_CHECK(state.provider().sample(warm_up.sets, warm_up.poisons));
  ASSAY_TRY(const std::vector<InputSet> fresh, make_input_sets(problem_, kFreshCalls, random_, *scratch_, "again"));
  return look_at_fresh(state, fresh, nullptr);
}

void Session::probe_fresh_inputs(State& state) {
  auto first = look_at_fresh(state, fresh_, expected_fresh_ ? &*expected_fresh_ : nullptr);
  if (!first) return take_out(state, first.error());
  // What the samples took counts for the suspicion as well, however long ago they were.
  FreshLook against_samples = *first;
  against_samples.before_us = judge::pooled(state.result->batches);
  std::vector<FreshLook> looks;
  const FreshLook* shown = &*first;
  if (first->is_slow() || against_samples.is_slow()) {
    for (size_t i = 0; i < kFreshLooks && (looks.empty() || looks.back().is_slow()); ++i) {
      auto again = look_again(state);
      if (state.out()) return;
      if (!again) return take_out(state, again.error());
      looks.push_back(std::move(*again));
    }
    shown = &looks.back();
  }
  if (remembers_results(looks)) {
    state.result->guards.fail(
        GuardKind::fresh_inputs,
        fmt::format("inputs seen for the first time take {:.2f} us, others {:.2f} us, in each of {} processes",
                    shown->fresh(), shown->seen(), looks.size()));
  }
  state.result->guards.pass(
      GuardKind::fresh_inputs,
      fmt::format("{:.2f} us at first sight, {:.2f} us otherwise{}", shown->fresh(), shown->seen(),
                  looks.empty() ? "" : fmt::format("; {:.2f} us once, which did not come again", first->fresh())));
}

}  // namespace assay::measure
