// SPDX-License-Identifier: MIT
// Measures one case with all contenders: verified before, while and after it is timed, samples interleaved. Every
// contender is started several times; its results are verified in the first process, the output of every timed call in
// all of them, and the last one is looked at afterwards. It ends with the session: at its end a profiler is attached,
// which slows every later call.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/scratch_files.hpp"
#include "measure/measurement.hpp"
#include "measure/provider.hpp"
#include "measure/schedule.hpp"
#include "measure/verifier.hpp"

namespace assay::measure {

struct FreshLook;

// The parent's own clock against what a provider claims for many replays: it may take `factor` times as long, and the
// process and its pipe may take `slack_us`.
struct HostClock {
  double factor = 1.5;
  double slack_us = 20'000;
  double wanted_us = 100'000;  // of work: long enough for the clock to have a say
};

struct SessionOptions {
  Protocol protocol;
  Sampling sampling;
  TimingFiles timing;
  HostClock host_clock;
  int device = 0;
  uint64_t seed = 1;                        // of the inputs
  std::optional<uint64_t> order_seed = {};  // of what a contender must not foresee: order, poison, places; the system's
  judge::CompareOptions compare;            // tells when enough is known
  gpu::GpuModel model;
  Provider::Limits limits{};
  size_t at_once = 1;  // processes of one contender that may be there at once
  std::function<void(const std::string&)> on_step = [](const std::string&) {};  // for progress
  std::function<void(const std::string&)> on_note = [](const std::string&) {};  // what is worth a line that stays
};

class Session {
 public:
  Session(const ProblemCase& problem, const check::Oracle& oracle, const std::vector<Contender>& contenders,
          SessionOptions options);
  ~Session();

  Result<CaseMeasurement> run();

 private:
  struct State;  // of one contender
  struct FreshRound {
    double us = 0;                   // of the call on the last set
    std::optional<double> known_us;  // of a call beside it, on contents that were there before
    uint64_t fingerprint = 0;
  };

  void begin_step(const std::string& name);
  void end_step();
  Result<void> start();
  void launch(State& state);
  void launch_all();
  void begin_ahead(size_t wanted);
  void finish_ahead();
  void next_processes(size_t process);
  static void note_costs(State& state, const Provider& process);
  void end_process(State& state);
  void end_waiting(bool those_ahead);
  Result<void> make_inputs();
  void for_all(void (Session::*step)(State&));
  void for_all_at_once(void (Session::*step)(State&));
  void greet(State& state);
  void prepare(State& state);
  void run_untimed(State& state);
  Result<void> compute_expected();
  void verify_untimed(State& state);
  void check_rest(State& state);
  void verify_process(State& state);
  void check_agreement(State& state);
  void check_sensitivity(State& state);
  void list_kernels(State& state);
  void sample_all();
  void sample_processes(size_t process);
  void sample_batch(State& state, const BatchPlan& plan);
  static void note_gate(State& state, const SampleBatch& batch);
  void probe_fresh_inputs(State& state);
  Result<FreshRound> fresh_round(State& state, const InputSet& contents);
  Result<FreshLook> look_at_fresh(State& state, const std::vector<InputSet>& fresh,
                                  const reference::Outputs* expected_of_first);
  Result<FreshLook> look_again(State& state);
  void recheck(State& state);
  void measure_throughput(State& state);
  void judge_times(State& state);

  Result<void> read_files(State& state, size_t set, const ArgumentFiles& files);
  Result<OutputBytes> read_outputs(State& state, size_t set);
  void check_inputs_unchanged(State& state, size_t set, const InputSet& expected);
  void note_verification(State& state, const Verification& verification, GuardKind guard, const std::string& when);
  void verify_outputs(State& state, const reference::Outputs* expected, const OutputBytes& outputs, GuardKind guard,
                      const std::string& when);
  bool still_as_before(State& state, const OutputBytes& outputs) const;
  Result<void> all_have_verdicts() const;
  void take_out(State& state, const Error& error);

  const ProblemCase& problem_;
  Verifier verifier_;
  SessionOptions options_;
  uint64_t order_seed_;
  Schedule schedule_;
  Random random_;
  std::optional<ScratchFiles> scratch_;
  std::vector<InputSet> sets_;
  std::vector<reference::Outputs> expected_;          // by set; fewer than sets if the work is too much
  std::vector<InputSet> fresh_;                       // seen by nobody before all is timed
  std::optional<reference::Outputs> expected_fresh_;  // of the first of them
  std::vector<State> states_;
  size_t room_ = 0;  // for processes of each contender beside the one whose turn it is
  std::chrono::steady_clock::time_point step_began_;
  CaseMeasurement measurement_;
};

}  // namespace assay::measure
