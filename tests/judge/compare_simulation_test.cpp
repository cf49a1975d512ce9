// SPDX-License-Identifier: MIT
// The judgement's promises, in simulated runs: the same kernel on both sides is called different in at most 1 % of the
// runs, and a slowdown of 3 % at 1 % noise is found in at least 95 %.
#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "judge/gate.hpp"
#include "simulated_run.hpp"

namespace assay::judge {
namespace {

struct Tally {
  int faster = 0, slower = 0, same = 0, other = 0;
  int gate_regressions = 0, gate_passes = 0;
};

Tally tally(const RunModel& model, int trials, uint64_t seed, bool interleaved = true) {
  CompareOptions options;
  options.resamples = 50;  // the bootstrap does not decide
  options.interleaved = interleaved;
  Tally result;
  for (int trial = 0; trial < trials; ++trial) {
    const SimulatedRun run = simulate(model, seed + static_cast<uint64_t>(trial));
    const Comparison comparison = compare(run.candidate, run.baseline, options).value();
    result.faster += comparison.verdict == Verdict::faster;
    result.slower += comparison.verdict == Verdict::slower;
    result.same += comparison.verdict == Verdict::same;
    result.other += comparison.verdict == Verdict::inconclusive || comparison.verdict == Verdict::throttled;
    const Comparison for_gate = compare(run.candidate, run.baseline, without_process_spread(options)).value();
    const GateVerdict verdict = gate({{.name = "k", .comparison = for_gate}}).verdict;
    result.gate_regressions += verdict == GateVerdict::regression;
    result.gate_passes += verdict == GateVerdict::pass;
  }
  return result;
}

struct Named {
  const char* name;
  RunModel model;
};

// Kinds of runs in which the same kernel must not look different.
const Named kRuns[] = {
    {"usual", {}},
    {"strong drift", {.drift = 0.3}},
    {"wandering levels", {.block_noise = 0.005}},
    {"correlated samples", {.correlation = 0.9}},
    {"noisy", {.noise = 0.03, .outliers = 0.1}},
    {"very noisy", {.noise = 0.10, .outliers = 0.2, .block_noise = 0.02}},
    {"coarse timer", {.tick = 0.5}},
    {"few blocks", {.block_noise = 0.004, .blocks = 4, .samples = 25}},
    {"single samples", {.blocks = 100, .samples = 1}},
    {"long", {.blocks = 40, .samples = 25}},
};

TEST(CompareSimulation, the_same_kernel_is_called_different_in_at_most_one_percent) {
  constexpr uint64_t kSeed = 1000;
  constexpr int kTrials = 400;
  int all = 0;
  for (const Named& run : kRuns) {
    const Tally result = tally(run.model, kTrials, kSeed);
    const int wrong = result.faster + result.slower;
    all += wrong;
    EXPECT_LE(wrong, kTrials / 100) << run.name << ", seeds from " << kSeed;
    EXPECT_LE(result.gate_regressions, kTrials / 100) << run.name << ", seeds from " << kSeed;
  }
  EXPECT_LE(all, 20) << "over all kinds of runs";
}

TEST(CompareSimulation, usual_runs_of_the_same_kernel_are_called_the_same) {
  constexpr uint64_t kSeed = 5000;
  const Tally result = tally({}, 200, kSeed);
  EXPECT_GE(result.same, 198) << "seeds from " << kSeed;
  EXPECT_GE(result.gate_passes, 198) << "seeds from " << kSeed;
}

TEST(CompareSimulation, three_percent_at_one_percent_noise_is_found) {
  constexpr uint64_t kSeed = 9000;
  for (const Named& run : {kRuns[0], kRuns[1], kRuns[6], kRuns[8], kRuns[9]}) {
    RunModel model = run.model;
    model.slowdown = 0.03;
    const Tally slow = tally(model, 100, kSeed);
    EXPECT_GE(slow.slower, 95) << run.name << ", seeds from " << kSeed;
    EXPECT_EQ(slow.faster, 0) << run.name;
    EXPECT_GE(slow.gate_regressions, 95) << run.name << ", seeds from " << kSeed;
    model.slowdown = -0.03;
    EXPECT_GE(tally(model, 100, kSeed).faster, 95) << run.name << ", seeds from " << kSeed;
  }
}

TEST(CompareSimulation, a_slowdown_well_below_the_threshold_passes_the_gate_but_is_named) {
  constexpr uint64_t kSeed = 11000;
  const Tally result = tally({.slowdown = 0.015, .blocks = 30, .samples = 20}, 100, kSeed);
  EXPECT_GE(result.slower, 95) << "seeds from " << kSeed;
  EXPECT_GE(result.gate_passes, 95) << "seeds from " << kSeed;
}

TEST(CompareSimulation, processes_of_the_same_kernel_may_differ_as_processes_do) {
  constexpr uint64_t kSeed = 12000;
  constexpr int kTrials = 400;
  CompareOptions options;
  options.resamples = 50;
  int wrong = 0;
  int wrong_without = 0;
  int found = 0;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    Random random(kSeed + trial);
    RunModel model{.slowdown = std::expm1(0.0035 * (random.normal() - random.normal())), .blocks = 30, .samples = 20};
    const auto called_different = [&](const CompareOptions& judged_by) {
      const SimulatedRun run = simulate(model, kSeed + trial);
      const Verdict verdict = compare(run.candidate, run.baseline, judged_by).value().verdict;
      return verdict == Verdict::faster || verdict == Verdict::slower;
    };
    wrong += called_different(options);
    wrong_without += called_different(without_process_spread(options));
    model.slowdown += 0.03;
    found += called_different(options);
  }
  EXPECT_LE(wrong, 8) << "seeds from " << kSeed;
  EXPECT_GT(wrong_without, 8) << "seeds from " << kSeed << ": the test sees what it is for";
  EXPECT_GE(found, 380) << "seeds from " << kSeed;
}

TEST(CompareSimulation, separate_runs_of_the_same_kernel_may_differ_as_runs_do) {
  constexpr uint64_t kSeed = 13000;
  CompareOptions options;
  options.resamples = 50;
  options.interleaved = false;
  int wrong = 0;
  int found = 0;
  for (uint64_t trial = 0; trial < 400; ++trial) {
    Random random(kSeed + trial);
    RunModel model{.drift = 0};
    model.microseconds = 20 * std::exp(0.005 * random.normal());
    const Blocks before = simulate(model, random.next()).baseline;
    model.microseconds = 20 * std::exp(0.005 * random.normal());
    const Blocks after = simulate(model, random.next()).baseline;
    const Verdict verdict = compare(after, before, options).value().verdict;
    wrong += verdict == Verdict::faster || verdict == Verdict::slower;
    model.microseconds *= 1.05;
    found += compare(simulate(model, random.next()).baseline, before, options).value().verdict == Verdict::slower;
  }
  EXPECT_LE(wrong, 8) << "seeds from " << kSeed;  // 1 % of 400 is 4, and chance
  EXPECT_GE(found, 380) << "seeds from " << kSeed;
}

}  // namespace
}  // namespace assay::judge
