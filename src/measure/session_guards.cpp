// SPDX-License-Identifier: MIT
// The guards of a session: what is looked at before and after the timed calls.
#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <numeric>

#include "base/hash.hpp"
#include "measure/kernel_names.hpp"
#include "measure/session.hpp"
#include "measure/session_state.hpp"

namespace assay::measure {
void Session::check_inputs_unchanged(State& state, size_t set, const InputSet& expected) {
  ArgumentFiles files;
  std::vector<const spec::ResolvedArgument*> inputs = problem_.inputs();
  std::erase_if(inputs, [](const auto* input) { return input->tensor()->role != spec::Role::input; });
  if (inputs.empty()) return;
  for (const spec::ResolvedArgument* input : inputs) {
    auto file = scratch_->file(fmt::format("after.{}.{}", state.index, input->name));
    if (!file) return take_out(state, file.error());
    files[input->name] = std::move(*file);
  }
  const auto read = read_files(state, set, files);
  if (!read) return take_out(state, read.error());
  for (const spec::ResolvedArgument* input : inputs) {
    const auto content = read_tensor(files.at(input->name), *input);
    if (!content) return take_out(state, content.error());
    if (content_hash(*content) != expected.hashes.at(input->name))
      state.result->guards.fail(GuardKind::inputs_changed, fmt::format("the call changed its input '{}'", input->name));
  }
  state.result->guards.pass(GuardKind::inputs_changed);
}

void Session::note_verification(State& state, const Verification& verification, GuardKind guard,
                                const std::string& when) {
  if (verification.no_verdict) {
    if (!state.no_verdict) state.no_verdict = verification.no_verdict;
    return;
  }
  Accuracy& worst = state.result->accuracy;
  if (verification.accuracy.error >= worst.error) worst = verification.accuracy;
  if (verification.mismatch) {
    state.result->guards.fail(guard, fmt::format("{}: {}", when, verification.text()));
    return;
  }
  state.result->guards.pass(guard);
  if (verification.passed()) {
    state.result->guards.pass(GuardKind::accuracy);
  } else if (state.contender->must_be_own_kernels) {
    state.result->guards.fail(GuardKind::accuracy, fmt::format("{}: {}", when, verification.text()));
  }
}

void Session::verify_outputs(State& state, const reference::Outputs* expected, const OutputBytes& outputs,
                             GuardKind guard, const std::string& when) {
  if (expected != nullptr) note_verification(state, verifier_.verify(*expected, outputs), guard, when);
}

// The sets are compared at once, and what was found is noted in their order.
void Session::verify_untimed(State& state) {
  std::vector<std::future<std::vector<Verification>>> comparing;
  for (size_t set = 0; set < std::min(state.outputs.size(), expected_.size()); ++set) {
    comparing.push_back(std::async(std::launch::async, [this, &state, set] {
      std::vector<Verification> found;
      for (const OutputBytes& outputs : state.outputs[set]) found.push_back(verifier_.verify(expected_[set], outputs));
      return found;
    }));
  }
  for (const auto& outputs : state.outputs) state.fingerprints.push_back(fingerprint(outputs.front()));
  for (size_t set = 0; set < comparing.size(); ++set) {
    for (const Verification& verification : comparing[set].get())
      note_verification(state, verification, GuardKind::poison, fmt::format("before timing, set {}", set));
    ++state.result->verified_sets;
  }
  if (!verifier_.knows_all()) check_rest(state);
}

// A contender that tunes itself may take another kernel in another process, and so compute other bits. Right ones are
// known from then on; what float64 cannot tell of stays as it was verified in the first process.
void Session::verify_process(State& state) {
  if (!state.result->deterministic || !verifier_.knows_all()) return;
  std::vector<size_t> each_set(sets_.size());
  std::iota(each_set.begin(), each_set.end(), size_t{0});
  const auto batch = state.provider().sample(each_set, schedule_.poisons(each_set.size()));
  if (!batch) return take_out(state, batch.error());
  if (batch->fingerprints == state.fingerprints) return;
  for (const size_t set : each_set) {
    const auto outputs = read_outputs(state, set);
    if (!outputs) return take_out(state, outputs.error());
    verify_outputs(state, &expected_[set], *outputs, GuardKind::fingerprint,
                   fmt::format("process {}, set {}", state.processes + 1, set));
    state.fingerprints[set] = fingerprint(*outputs);
  }
  ++state.other_bits;
}

// Where float64 takes too long for all rows: what was not written shows by itself, and contenders that were written
// apart from each other stand in for the rest.
void Session::check_rest(State& state) {
  for (size_t set = 0; set < state.outputs.size(); ++set) {
    if (state.outputs[set].size() < 2) continue;  // the same after both poisons
    if (const auto element = verifier_.unwritten(state.outputs[set][0], state.outputs[set][1]))
      state.result->guards.fail(GuardKind::poison, fmt::format("before timing, set {}: {}", set, *element));
  }
  check_agreement(state);
}

void Session::check_agreement(State& state) {
  const auto can_tell = [&](const State& each) { return &each != &state && !each.out() && !each.outputs.empty(); };
  // A candidate's word is the last that counts: one that is wrong must not put the blame on every baseline.
  auto other = std::find_if(states_.begin(), states_.end(),
                            [&](const State& each) { return !each.candidate && can_tell(each); });
  if (other == states_.end()) other = std::find_if(states_.begin(), states_.end(), can_tell);
  if (other == states_.end()) {
    if (expected_.empty())
      state.result->guards.unavailable(GuardKind::poison,
                                       "the shape is too large for float64, and there is nobody to compare with");
    return;
  }
  const auto difference = verifier_.disagreement(other->outputs[0].front(), state.outputs[0].front());
  if (difference) {
    state.result->guards.fail(GuardKind::poison,
                              fmt::format("against '{}' at this shape: {}", other->result->name, *difference));
  } else {
    state.result->guards.pass(GuardKind::poison,
                              fmt::format("agrees with '{}'; too large for {}float64", other->result->name,
                                          expected_.empty() ? "" : "more than a sample in "));
  }
}

// Every input matters: with another one in its place the output changes. If it does not, the reference decides whether
// it should have.
void Session::check_sensitivity(State& state) {
  if (!state.contender->must_be_own_kernels) return;
  const auto inputs = problem_.inputs();
  auto other = InputSet::make(problem_, random_.next(), *scratch_, "other", Draw::random_floats);
  if (!other) return take_out(state, other.error());
  bool undecided = false;
  for (const spec::ResolvedArgument* input : inputs) {
    if (other->hashes.at(input->name) == sets_[0].hashes.at(input->name))
      continue;  // integers of a fill without randomness
    const auto written = state.provider().write(0, {{input->name, other->files.at(input->name)}});
    const auto ran = written ? state.provider().run(0, schedule_.poisons(1).front()) : written;
    if (!ran) return take_out(state, ran.error());
    auto outputs = read_outputs(state, 0);
    if (!outputs) return take_out(state, outputs.error());
    const bool same = still_as_before(state, *outputs);
    undecided = undecided || (!verifier_.knows_some() && (same || !state.result->deterministic));
    if (same && verifier_.knows_some()) {
      InputSet mixed = sets_[0];
      mixed.files[input->name] = other->files.at(input->name);
      const auto expected = verifier_.expected(mixed);
      const Verification verification = expected ? verifier_.verify(*expected, *outputs) : Verification{};
      if (verification.no_verdict) state.no_verdict = verification.no_verdict;
      if (!verification.no_verdict && !verification.passed())
        state.result->guards.fail(GuardKind::sensitivity,
                                  fmt::format("other values of '{}' do not change the result", input->name));
    }
    const auto restored = state.provider().write(0, {{input->name, sets_[0].files.at(input->name)}});
    if (!restored) return take_out(state, restored.error());
  }
  if (undecided) {
    state.result->guards.unavailable(GuardKind::sensitivity, "the shape is too large for float64");
  } else {
    state.result->guards.pass(GuardKind::sensitivity);
  }
}

void Session::list_kernels(State& state) {
  // What a baseline launches is shown, and nothing is held against it.
  const KernelLook look = state.contender->must_be_own_kernels ? KernelLook::profile : KernelLook::names;
  auto list = state.provider().kernels(0, look);
  if (!list) return take_out(state, list.error());
  Guards& guards = state.result->guards;
  if (list->threads_after > list->threads_before && list->threads_before > 0 && state.contender->must_be_own_kernels) {
    guards.fail(GuardKind::threads,
                fmt::format("the call left {} more threads running", list->threads_after - list->threads_before));
  } else {
    guards.pass(GuardKind::threads);
  }
  if (list->persisting_l2_bytes > 0 && state.contender->must_be_own_kernels) {
    guards.fail(GuardKind::persisting_l2,
                fmt::format("{:.0f} bytes of the cache were set aside for lines that survive a flush",
                            list->persisting_l2_bytes));
  } else {
    guards.pass(GuardKind::persisting_l2);
  }
  if (!list->available) {
    guards.unavailable(GuardKind::kernels_list, list->reason);
    guards.unavailable(GuardKind::streams, list->reason);
    if (state.contender->must_be_own_kernels && list->graph_nodes == 0) {
      guards.fail(GuardKind::graph_nodes, "a captured call holds no work");
    } else {
      guards.unavailable(GuardKind::graph_nodes, list->reason);
    }
    return;
  }
  state.result->kernels = list->kernels;
  if (!state.contender->must_be_own_kernels) return;
  for (const LaunchedKernel& kernel : list->kernels) {
    if (const std::string owner = library_of(kernel.name); !owner.empty())
      guards.fail(GuardKind::kernels_list, fmt::format("'{}' belongs to {}", kernel.name, owner));
    if (kernel.stream != 0)
      guards.fail(GuardKind::streams, fmt::format("'{}' ran on a stream that is not timed", kernel.name));
  }
  if (list->kernels.empty()) guards.fail(GuardKind::kernels_list, "the call launches no kernel");
  guards.pass(GuardKind::kernels_list);
  guards.pass(GuardKind::streams);
  if (!list->graph_nodes) {
    guards.unavailable(GuardKind::graph_nodes, "the call was not captured");
  } else if (static_cast<size_t>(*list->graph_nodes) != list->kernels.size() || *list->graph_nodes == 0) {
    guards.fail(GuardKind::graph_nodes, fmt::format("a captured call holds {} pieces of work, a plain one {}",
                                                    *list->graph_nodes, list->kernels.size()));
  } else {
    guards.pass(GuardKind::graph_nodes);
  }
}

// What the timed calls left behind is still right, and the inputs are still what they were.
void Session::recheck(State& state) {
  for (size_t set = 0; set < sets_.size(); ++set) {
    auto outputs = read_outputs(state, set);
    if (!outputs) return take_out(state, outputs.error());
    if (state.result->deterministic && fingerprint(*outputs) == state.fingerprints[set]) {
      state.result->guards.pass(GuardKind::recheck);
    } else {
      const reference::Outputs* expected = set < expected_.size() ? &expected_[set] : nullptr;
      if (!verifier_.knows_all() && state.result->deterministic)
        state.result->guards.fail(
            GuardKind::recheck,
            fmt::format("after timing, set {}: the output is not the one that was read before", set));
      verify_outputs(state, expected, *outputs, GuardKind::recheck, fmt::format("after timing, set {}", set));
    }
    check_inputs_unchanged(state, set, sets_[set]);
    if (state.out()) return;
  }
}

}  // namespace assay::measure
