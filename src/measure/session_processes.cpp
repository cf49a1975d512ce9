// SPDX-License-Identifier: MIT
// The processes of a session. Each contender is started many times, and starting is most of what a comparison takes:
// importing, a CUDA context, compiling from a cache. So several processes of each contender start at once, while
// nothing is timed, and wait for their turn; those that had it wait for the end of the others. They hold a context and
// memory, and ask nothing of the GPU meanwhile. What a process replicates (where its memory lies, what it chose) is
// drawn anew by each of them as before.
#include <algorithm>
#include <future>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/elapsed.hpp"
#include "measure/session.hpp"
#include "measure/session_state.hpp"
#include "measure/warm_pool.hpp"

namespace assay::measure {
namespace {

using std::chrono::steady_clock;

// In the words of the driver, of the runtime and of PyTorch.
bool lacks_memory(const Error& error) {
  return error.message.find("out of memory") != std::string::npos;
}

}  // namespace

void Session::note_costs(State& state, const Provider& process) {
  for (const auto& [request, cost] : process.costs()) {
    RequestCost& sum = state.result->requests[request];
    sum.count += cost.count;
    sum.seconds += cost.seconds;
  }
}

void Session::end_process(State& state) {
  if (!state.process) return;
  note_costs(state, *state.process);
  const auto began = steady_clock::now();
  state.process.reset();
  state.result->requests["end"].add(seconds_since(began));
}

// All that wait for something, at once: giving back a CUDA context takes its time.
void Session::end_waiting(bool those_ahead) {
  std::vector<std::future<void>> ending;
  for (State& state : states_) {
    if (those_ahead) {
      for (State::Waiting& each : state.ahead) state.retired.push_back(std::move(each.process));
      state.ahead.clear();
    }
    for (std::unique_ptr<Provider>& process : state.retired) {
      note_costs(state, *process);
      ending.push_back(std::async(std::launch::async, [&process] { process.reset(); }));
    }
  }
  for (std::future<void>& each : ending) each.get();
  for (State& state : states_) state.retired.clear();
}

void Session::launch(State& state) {
  end_process(state);
  auto launched = Provider::launch(*state.contender, options_.limits);
  if (!launched) return take_out(state, launched.error());
  state.process = std::move(*launched);
}

void Session::launch_all() {
  for_all(&Session::launch);
  for (const std::string& complaint : WarmPools::of_this_process().take_complaints()) options_.on_note(complaint);
}

void Session::greet(State& state) {
  const auto greeted = state.process->greet(options_.device);
  if (!greeted) return take_out(state, greeted.error());
  state.result->versions = state.process->identity().versions;
}

// So many processes of each contender, or as many as there is room for. A compiler that has seen the case compiles it
// once; where its memory lies is decided at its turn.
void Session::begin_ahead(size_t wanted) {
  const size_t count = std::min(wanted, room_);
  for (State& state : states_) {
    for (size_t i = state.ahead.size(); i < count && !state.out(); ++i) {
      auto launched = Provider::launch(*state.contender, options_.limits);
      if (!launched) break;
      const auto start = [this, &state, process = launched->get()]() -> Result<void> {
        ASSAY_CHECK(process->greet(options_.device));
        const auto prepared = process->prepare(
            prepare_request(problem_, options_.protocol, options_.timing, sets_, state.contender->options));
        return prepared ? Result<void>() : prepared.error();
      };
      state.starting.push_back({std::move(*launched), std::async(std::launch::async, start)});
    }
  }
}

// One that found no room beside the others is started alone when its turn comes.
void Session::finish_ahead() {
  for (State& state : states_) {
    for (State::Starting& each : state.starting) {
      const auto ready = each.ready.get();
      if (!ready && lacks_memory(ready.error())) {
        note_costs(state, *each.process);
        room_ = 0;
      } else {
        state.ahead.push_back({std::move(each.process), ready ? std::nullopt : std::optional(ready.error())});
      }
    }
    state.starting.clear();
  }
}

// Of those that are sure to come: the plan looks whether it was enough after that many.
void Session::next_processes(size_t process) {
  const judge::Replication& plan = options_.sampling.plan;
  for (State& state : states_) {
    if (state.process && room_ > 0) state.retired.push_back(std::move(state.process));
  }
  if (std::ranges::any_of(states_, [](const State& state) { return !state.out() && state.ahead.empty(); })) {
    end_waiting(false);
    const size_t sure = process < plan.first ? plan.first - process : plan.step - (process - plan.first) % plan.step;
    if (sure > 1) {
      begin_ahead(sure);
      finish_ahead();
    }
  }
  std::vector<State*> alone;
  for (State& state : states_) {
    if (state.out()) continue;
    if (state.ahead.empty()) {
      launch(state);
      alone.push_back(&state);
    } else {
      end_process(state);
      const std::optional<Error> failure = state.ahead.front().failure;
      state.process = std::move(state.ahead.front().process);
      state.ahead.erase(state.ahead.begin());
      if (failure) take_out(state, *failure);
    }
  }
  std::vector<std::future<void>> greeting;
  for (State* state : alone) {
    if (!state->out()) greeting.push_back(std::async(std::launch::async, [this, state] { greet(*state); }));
  }
  for (std::future<void>& each : greeting) each.get();
  for (const std::string& complaint : WarmPools::of_this_process().take_complaints()) options_.on_note(complaint);
}

// For every process: the same inputs, elsewhere in memory. Processes that wait may have taken the memory that is
// needed: a second try is without them.
void Session::prepare(State& state) {
  Protocol protocol = options_.protocol;
  protocol.placement = state.placements.below(kPlacements);
  const auto request = prepare_request(problem_, protocol, options_.timing, sets_, state.contender->options);
  auto variant = state.process->prepare(request);
  const auto waits = [](const State& each) { return !each.ahead.empty() || !each.retired.empty(); };
  if (!variant && lacks_memory(variant.error()) && std::ranges::any_of(states_, waits)) {
    room_ = 0;
    end_waiting(true);
    launch(state);
    if (!state.out()) greet(state);
    if (state.out()) return;
    variant = state.process->prepare(request);
  }
  if (!variant) return take_out(state, variant.error());
  state.result->variant = *variant;
  state.result->device_bytes = state.process->device_bytes();
}

}  // namespace assay::measure
