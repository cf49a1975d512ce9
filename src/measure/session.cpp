// SPDX-License-Identifier: MIT
#include "measure/session.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <future>
#include <nlohmann/json.hpp>

#include "base/elapsed.hpp"
#include "check/element.hpp"
#include "check/self_test.hpp"
#include "measure/fresh_look.hpp"
#include "measure/session_state.hpp"
#include "stats/bootstrap.hpp"
#include "stats/quantile.hpp"

namespace assay::measure {
namespace {

using std::chrono::steady_clock;

// A comparison that takes rubbish for right says nothing about a contender: a function of the user's that accepts
// whatever it is given, outputs without an element.
Result<void> check_that_rubbish_fails(const ProblemCase& problem, const Verifier& verifier,
                                      const reference::Outputs& expected) {
  OutputBytes numbers;
  OutputBytes set_bits;  // NaN, and -1 as an integer
  for (const spec::ResolvedArgument* output : problem.outputs()) {
    const spec::ResolvedTensor& tensor = *output->tensor();
    set_bits[output->name].assign(static_cast<size_t>(tensor.bytes), 0xff);
    numbers[output->name] = set_bits[output->name];
    check::encode(tensor, check::rubbish(tensor), numbers[output->name]);
  }
  if (!verifier.verify(expected, numbers).passed() || !verifier.verify(expected, set_bits).passed()) return {};
  const bool by_function = !problem.spec->problem.compare.empty();
  return Error{fmt::format("no verdict, this comparison cannot fail: rubbish in all elements of the outputs passes "
                           "(shape {})",
                           problem.shape.text()),
               by_function ? problem.spec->problem.compare_place : Place{problem.spec->file.string()},
               by_function ? "mend the comparison: it must say what is wrong with outputs that are"
                           : "choose a shape whose outputs have elements, or narrow [tolerance]"};
}

}  // namespace

Session::Session(const ProblemCase& problem, const check::Oracle& oracle, const std::vector<Contender>& contenders,
                 SessionOptions options)
    : problem_(problem),
      verifier_(problem, oracle),
      options_(std::move(options)),
      order_seed_(options_.order_seed.value_or(system_random())),
      schedule_(contenders.size(), order_seed_),
      random_(options_.seed ^ 0x5eed) {
  room_ = std::max<size_t>(options_.at_once, 1) - 1;
  measurement_.shape = problem.shape.text();
  measurement_.work = problem.work;
  measurement_.seed = options_.seed;
  measurement_.order_seed = order_seed_;
  Random places(order_seed_ ^ 0x97ace);
  measurement_.contenders.resize(contenders.size());
  states_ = std::vector<State>(contenders.size());  // whose futures cannot be copied
  for (size_t i = 0; i < contenders.size(); ++i) {
    ContenderResult& result = measurement_.contenders[i];
    result.name = contenders[i].name;
    result.provider = contenders[i].provider;
    states_[i].index = i;
    states_[i].contender = &contenders[i];
    states_[i].result = &result;
    states_[i].candidate = i == 0;
    states_[i].placements = Random(places.next());
  }
}

Session::~Session() = default;

// The contender is out; the others go on.
void Session::take_out(State& state, const Error& error) {
  state.result->failure = error;
  if (state.process && state.process->failed_guard())
    state.result->guards.fail(*state.process->failed_guard(), error.message);
  end_process(state);
}

// What follows belongs to this step, until the next begins.
void Session::begin_step(const std::string& name) {
  end_step();
  options_.on_step(name);
  measurement_.steps.emplace_back(name, 0);
  step_began_ = steady_clock::now();
}
void Session::end_step() {
  if (measurement_.steps.empty()) return;
  measurement_.steps.back().second = seconds_since(step_began_);
}

Result<CaseMeasurement> Session::run() {
  begin_step("starting contenders and drawing inputs");
  ASSAY_CHECK(start());
  // All contenders run before any expected value exists anywhere.
  begin_step("running once");
  for_all_at_once(&Session::run_untimed);
  // Compilers have filled their caches by now, and nothing is timed yet.
  begin_ahead(options_.sampling.plan.first - 1);
  begin_step("computing float64 results");
  ASSAY_CHECK(compute_expected());
  begin_step("comparing");
  for_all_at_once(&Session::verify_untimed);
  ASSAY_CHECK(all_have_verdicts());
  for (State& state : states_) state.outputs.clear();
  begin_step("changing inputs");
  for_all(&Session::check_sensitivity);
  ASSAY_CHECK(all_have_verdicts());
  begin_step("starting further processes");
  finish_ahead();
  begin_step("sampling");
  sample_all();
  begin_step("trying fresh inputs");
  for_all_at_once(&Session::recheck);
  for_all(&Session::probe_fresh_inputs);
  begin_step("measuring throughput");
  for_all(&Session::measure_throughput);
  // Last: a profiler that was attached once slows every later launch.
  begin_step("listing kernels");
  for_all_at_once(&Session::list_kernels);
  begin_step("ending contenders");
  for_all_at_once(&Session::end_process);
  end_step();
  ASSAY_CHECK(all_have_verdicts());
  for (State& state : states_) judge_times(state);
  return std::move(measurement_);
}

void Session::for_all(void (Session::*step)(State&)) {
  for (State& state : states_) {
    if (!state.out()) (this->*step)(state);
  }
}

// Only for steps without a clock: the contenders share the GPU.
void Session::for_all_at_once(void (Session::*step)(State&)) {
  std::vector<std::future<void>> running;
  for (State& state : states_) {
    if (!state.out()) running.push_back(std::async(std::launch::async, [this, step, &state] { (this->*step)(state); }));
  }
  for (std::future<void>& each : running) each.get();
}

// Importing PyTorch takes seconds, and so does drawing large inputs: both at once.
Result<void> Session::start() {
  launch_all();
  const auto greeting = std::async(std::launch::async, [this] { for_all_at_once(&Session::greet); });
  const auto made = make_inputs();
  greeting.wait();
  return made;
}

Result<void> Session::make_inputs() {
  const size_t sets = options_.protocol.sets;
  scratch_.emplace(static_cast<uint64_t>(problem_.bytes()) * (sets + 2 * kFreshCalls + 2 + states_.size()));
  ASSAY_TRY(sets_, make_input_sets(problem_, sets, random_, *scratch_, "set"));
  ASSAY_TRY(fresh_, make_input_sets(problem_, kFreshCalls, random_, *scratch_, "fresh"));
  return {};
}

// What lies there from an earlier reading is cut off first: a provider that writes nothing must not be taken for one
// that wrote the right thing.
Result<void> Session::read_files(State& state, size_t set, const ArgumentFiles& files) {
  std::error_code ignored;
  for (const auto& [argument, file] : files) ASSAY_CHECK(empty_file(file));
  ASSAY_CHECK(state.provider().read(set, files));
  for (const auto& [argument, file] : files) {
    if (std::filesystem::file_size(file, ignored) == 0)
      return Error{fmt::format("provider '{}' did not write '{}' although it was asked to and said it had",
                               state.provider().name(), argument),
                   {},
                   "",
                   ExitCode::environment};
  }
  return {};
}

Result<OutputBytes> Session::read_outputs(State& state, size_t set) {
  ArgumentFiles files;
  for (const spec::ResolvedArgument* output : problem_.outputs()) {
    ASSAY_TRY(files[output->name], scratch_->file(fmt::format("output.{}.{}", state.index, output->name)));
  }
  ASSAY_CHECK(read_files(state, set, files));
  OutputBytes outputs;
  for (const spec::ResolvedArgument* output : problem_.outputs()) {
    ASSAY_TRY(outputs[output->name], read_tensor(files[output->name], *output));
  }
  return outputs;
}

// Each set twice, with two poisons: an element that was not written shows one of them, and a kernel that looks at the
// poison gives itself away. Only if the two results differ is the second one kept as well.
void Session::run_untimed(State& state) {
  constexpr uint8_t kNan = 0xff;  // a NaN of every floating type
  constexpr uint8_t kOther = 0xa5;
  prepare(state);
  if (state.out()) return;
  for (size_t set = 0; set < sets_.size(); ++set) {
    std::vector<OutputBytes> results;
    for (const uint8_t poison : {kNan, kOther}) {
      const auto ran = state.provider().run(set, poison);
      if (!ran) return take_out(state, ran.error());
      auto outputs = read_outputs(state, set);
      if (!outputs) return take_out(state, outputs.error());
      results.push_back(std::move(*outputs));
    }
    if (results[0] == results[1]) {
      results.pop_back();
    } else {
      state.result->deterministic = false;
    }
    state.outputs.push_back(std::move(results));
    check_inputs_unchanged(state, set, sets_[set]);
    if (state.out()) return;
  }
}

// All sets at once, and the first of the fresh ones: one comparison with float64 is evidence enough there.
Result<void> Session::compute_expected() {
  if (!verifier_.knows_some()) return {};
  std::vector<const InputSet*> inputs;
  for (const InputSet& set : sets_) inputs.push_back(&set);
  inputs.push_back(&fresh_.front());
  std::vector<std::future<Result<reference::Outputs>>> running;
  running.reserve(inputs.size());
  for (const InputSet* set : inputs)
    running.push_back(std::async(std::launch::async, [this, set] { return verifier_.expected(*set); }));
  std::optional<Error> problem;
  for (auto& future : running) {
    auto outputs = future.get();
    if (!outputs) {
      problem = outputs.error();
    } else {
      expected_.push_back(std::move(*outputs));
    }
  }
  if (problem) return *problem;
  expected_fresh_ = std::move(expected_.back());
  expected_.pop_back();
  return check_that_rubbish_fails(problem_, verifier_, expected_.front());
}

// Whether these are the outputs of the first set as it was. Where bits differ from call to call, being still right for
// the old inputs is as near as one can get.
bool Session::still_as_before(State& state, const OutputBytes& outputs) const {
  if (state.result->deterministic) return fingerprint(outputs) == state.fingerprints[0];
  if (expected_.empty()) return false;
  const Verification verification = verifier_.verify(expected_[0], outputs);
  return !verification.mismatch && !verification.no_verdict;
}

// A comparison that fails says nothing about a contender, and ends the session.
Result<void> Session::all_have_verdicts() const {
  for (const State& state : states_) {
    if (state.no_verdict) return *state.no_verdict;
  }
  return {};
}

void Session::note_gate(State& state, const SampleBatch& batch) {
  Guards& guards = state.result->guards;
  state.result->ungated += batch.ungated.value_or(0);
  if (!batch.ungated) {
    guards.unavailable(GuardKind::gate, "the provider does not say");
  } else if (state.result->ungated > 0) {
    guards.forget(GuardKind::gate);  // however often it held
    guards.unavailable(
        GuardKind::gate,
        fmt::format("{} samples hold time to enqueue: the call waits for the device, or the host is busy",
                    state.result->ungated));
  } else {
    guards.pass(GuardKind::gate);
  }
}

void Session::sample_batch(State& state, const BatchPlan& plan) {
  auto batch = state.provider().sample(plan.sets, plan.poisons);
  if (!batch) return take_out(state, batch.error());
  Guards& guards = state.result->guards;
  double sum = 0;
  for (const double us : batch->us) sum += us;
  // Clocks of two devices agree to far better than this; a patched timer does not.
  if (sum > batch->wall_us * 1.02 || batch->host_us > batch->wall_us * 1.02) {
    guards.fail(GuardKind::host_clock, fmt::format("{} calls are said to take {:.0f} us, but all was over in {:.0f} us",
                                                   plan.sets.size(), std::max(sum, batch->host_us), batch->wall_us));
  } else {
    guards.pass(GuardKind::host_clock);
  }
  if (state.result->deterministic) {
    for (size_t i = 0; i < plan.sets.size(); ++i) {
      if (batch->fingerprints[i] == state.fingerprints[plan.sets[i]]) continue;
      guards.fail(GuardKind::fingerprint,
                  fmt::format("batch {}, call {}, set {}: the output right after the timed call is not the one "
                              "that was verified",
                              state.result->batches.size(), i, plan.sets[i]));
      break;
    }
    guards.pass(
        GuardKind::fingerprint,
        state.other_bits == 0
            ? "every timed call"
            : fmt::format("every timed call; other bits in {} of the processes, verified there", state.other_bits));
  } else if (const size_t last = plan.sets.back(); last < expected_.size()) {
    // Results that differ from call to call have no fingerprint; the last one of each batch is compared with float64.
    auto outputs = read_outputs(state, last);
    if (!outputs) return take_out(state, outputs.error());
    verify_outputs(state, &expected_[last], *outputs, GuardKind::fingerprint, "right after a timed call");
    if (state.out()) return;
  }
  note_gate(state, *batch);
  state.result->batches.push_back(as_batch(*batch, plan.lead_in, state.processes));
}

// Process after process of every contender: the process is what is replicated (judge/replication.hpp).
void Session::sample_all() {
  const auto start = steady_clock::now();
  for (size_t process = 0;; ++process) {
    std::vector<const judge::Batches*> all;
    for (const State& state : states_) {
      if (!state.out()) all.push_back(&state.result->batches);
    }
    if (auto reason = reason_to_stop(options_.sampling, process, seconds_since(start), all, options_.compare)) {
      measurement_.stopped_because = std::move(*reason);
      break;
    }
    if (process > 0) next_processes(process);
    sample_processes(process);
  }
  end_waiting(true);
  measurement_.seconds = seconds_since(start);
}

void Session::sample_processes(size_t process) {
  const judge::Replication& plan = options_.sampling.plan;
  for_all(&Session::prepare);
  // Everyone has a batch that does not count: first launches, clocks that wake up.
  const BatchPlan warm_up = schedule_.plan(plan.batch, sets_.size());
  for (State& state : states_) {
    state.processes = process;
    if (process > 0 && !state.out()) verify_process(state);
    if (state.out()) continue;
    const size_t before = state.result->batches.size();
    sample_batch(state, warm_up);
    state.result->batches.resize(before);
  }
  for (size_t i = 0; i < plan.batches; ++i) {
    const Round round = schedule_.next_round(plan.batch, sets_.size());
    for (const size_t index : round.contenders) {
      if (!states_[index].out()) sample_batch(states_[index], round.plan);
    }
    options_.on_step(
        fmt::format("sampling, process {}, {} samples", process + 1, (process * plan.batches + i + 1) * plan.batch));
  }
}

// Twice: the first request builds the graph. The second is long enough for our own clock to have a say: work that is
// done elsewhere, or a timer that was tampered with, does not shorten it.
void Session::measure_throughput(State& state) {
  const HostClock& clock = options_.host_clock;
  constexpr double kFewestReplays = 4;
  constexpr double kMostReplays = 1000;
  const Protocol& protocol = options_.protocol;
  auto first = state.provider().throughput(protocol.throughput_replays);
  if (!first) return take_out(state, first.error());
  const double replay_us = stats::median_of(first->us) * static_cast<double>(protocol.calls);
  const auto replays = static_cast<size_t>(std::clamp(clock.wanted_us / replay_us, kFewestReplays, kMostReplays));
  auto second = state.provider().throughput(replays);
  if (!second) return take_out(state, second.error());
  double claimed_us = 0;
  for (const double us : second->us) claimed_us += us * static_cast<double>(protocol.calls);
  // A provider replays once more, to warm up.
  const double expected_us = claimed_us * static_cast<double>(replays + 1) / static_cast<double>(replays);
  if (second->wall_us > clock.factor * expected_us + clock.slack_us) {
    state.result->guards.fail(
        GuardKind::host_clock,
        fmt::format("{} replays are said to take {:.0f} us and took {:.0f} us", replays, claimed_us, second->wall_us));
  }
  state.result->throughput = std::move(first->us);
}

void Session::judge_times(State& state) {
  ContenderResult& result = *state.result;
  const auto sample = stats::Sample::make(judge::pooled(result.batches));
  if (!sample) return;
  result.time_us = stats::summarize(*sample);
  stats::BootstrapOptions bootstrap;
  bootstrap.seed = options_.seed;
  result.median_interval = stats::median_interval(*sample, bootstrap).interval;
  double clock = 0;
  for (const judge::Batch& batch : result.batches) clock = std::max(clock, batch.clock_mhz.value_or(0));
  const Floor floor = floor_of(problem_.work, options_.model, options_.protocol.cache, clock);
  if (state.candidate || floor.us > measurement_.floor.us) measurement_.floor = floor;
  if (floor.us <= 0) {
    result.guards.unavailable(GuardKind::roofline,
                              "the specification has neither flops nor bytes, or the GPU is not known");
  } else if (result.time_us->minimum < floor.us) {
    result.guards.fail(GuardKind::roofline,
                       fmt::format("{:.3f} us is less than the {:.3f} us that the work takes at the GPU's peak",
                                   result.time_us->minimum, floor.us));
  } else {
    result.guards.pass(GuardKind::roofline, fmt::format("floor {:.3f} us", floor.us));
  }
}

}  // namespace assay::measure
