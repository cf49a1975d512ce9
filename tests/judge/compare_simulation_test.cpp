// SPDX-License-Identifier: MIT
// The judgement's promises, in simulated runs: the same kernel on both sides is called different in at most 1 % of the
// runs, and a slowdown of 3 % (5 % at 5 us, 10 % at 2 us) is found in at least 95 %. assay calibrate --simulate makes
// the whole table with 10,000 runs a cell; here a sample of it, with the chance of so few runs allowed for.
#include <cmath>
#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "judge/simulation.hpp"

namespace assay::judge {
namespace {

constexpr uint64_t kSeed = 4711;
constexpr size_t kRuns = 150;

TEST(CompareSimulation, noise_of_any_kind_is_no_difference) {
  size_t wrong = 0;
  size_t runs = 0;
  for (const NoiseKind& kind : noise_kinds()) {
    for (const double us : {2.0, 20.0, 2000.0}) {
      const SimulatedCell cell = simulate_cell({kind.noise, us, 0}, {}, kRuns, kSeed);
      // At a rate of 1 %, more than 6 of 150 have a probability of 0.0006.
      EXPECT_LE(cell.false_comparisons(), 6u) << kind.name << " at " << us << " us, seeds from " << kSeed;
      EXPECT_LE(cell.regressions, 6u) << kind.name << " at " << us << " us, seeds from " << kSeed;
      wrong += cell.false_comparisons();
      runs += cell.runs;
    }
  }
  EXPECT_LE(wrong, runs / 100) << "over all kinds";
}

TEST(CompareSimulation, what_is_slower_is_found_under_noise_of_any_kind) {
  const std::pair<double, double> wanted[] = {{2.0, 0.1}, {5.0, 0.05}, {20.0, 0.03}};
  for (const NoiseKind& kind : noise_kinds()) {
    for (const auto& [us, slowdown] : wanted) {
      const SimulatedCell cell = simulate_cell({kind.noise, us, slowdown}, {}, kRuns, kSeed);
      EXPECT_EQ(cell.faster, 0u) << kind.name;
      if (us < kind.decides_from_us) {
        EXPECT_LE(cell.same + cell.passes, 6u) << kind.name << " at " << us << " us, seeds from " << kSeed;
        continue;
      }
      // At a rate of 95 %, fewer than 132 of 150 have a probability of 0.0004.
      EXPECT_GE(cell.slower, 132u) << kind.name << " at " << us << " us, seeds from " << kSeed;
      EXPECT_GE(cell.regressions, 132u) << kind.name << " at " << us << " us, seeds from " << kSeed;
    }
  }
}

TEST(CompareSimulation, the_same_kernel_passes_the_gate) {
  for (const NoiseKind& kind : noise_kinds()) {
    const SimulatedCell cell = simulate_cell({kind.noise, 20, 0}, {}, kRuns, kSeed);
    // Processes with heavy tails leave one of 100 undecided.
    EXPECT_GE(cell.passes, kRuns * 97 / 100) << kind.name << ", seeds from " << kSeed;
    EXPECT_GE(cell.same, kRuns * 97 / 100) << kind.name << ", seeds from " << kSeed;
  }
}

TEST(CompareSimulation, two_percent_is_seldom_a_regression_at_a_limit_of_three) {
  for (const NoiseKind& kind : noise_kinds()) {
    const SimulatedCell cell = simulate_cell({kind.noise, 20, 0.02}, {}, kRuns, kSeed);
    EXPECT_LE(cell.regressions, kRuns / 4) << kind.name << ", seeds from " << kSeed;
  }
  const SimulatedCell quiet = simulate_cell({Noise::independent, 20, 0.02}, {}, kRuns, kSeed);
  EXPECT_LE(quiet.regressions, 3u) << "seeds from " << kSeed;
}

TEST(CompareSimulation, more_processes_run_where_they_differ_more) {
  EXPECT_LT(simulate_cell({Noise::independent, 20, 0}, {}, 50, kSeed).mean_processes(), 8);
  EXPECT_GT(simulate_cell({Noise::process_part, 20, 0}, {}, 50, kSeed).mean_processes(), 20);
}

// The test sees what it is for: batches of one process taken for independent units call an offset a difference.
TEST(CompareSimulation, one_process_knows_nothing_of_others) {
  size_t blind = 0;
  CompareOptions options;
  options.resamples = 0;
  for (uint64_t i = 0; i < kRuns; ++i) {
    SimulatedRun run = simulate({Noise::process_part, 20, 0}, {.batches = 24, .first = 1, .most = 1}, kSeed + i);
    options.process_spread = ProcessSpread{};
    const Verdict trusting = compare(run.candidate, run.baseline, options)->verdict;
    blind += trusting == Verdict::slower || trusting == Verdict::faster ? 1 : 0;
    options.process_spread = std::nullopt;
    EXPECT_EQ(compare(run.candidate, run.baseline, options)->verdict, Verdict::inconclusive);
  }
  EXPECT_GT(blind, kRuns / 5) << "seeds from " << kSeed;
}

TEST(CompareSimulation, a_calibrated_machine_is_believed_with_one_process) {
  size_t wrong = 0;
  CompareOptions options;
  options.resamples = 0;
  options.process_spread = ProcessSpread{0.01, 0};
  for (uint64_t i = 0; i < kRuns; ++i) {
    const SimulatedRun run = simulate({Noise::process_part, 20, 0}, {.batches = 24, .first = 1, .most = 1}, kSeed + i);
    const Verdict verdict = compare(run.candidate, run.baseline, options)->verdict;
    wrong += verdict == Verdict::slower || verdict == Verdict::faster ? 1 : 0;
  }
  EXPECT_LE(wrong, 4u) << "seeds from " << kSeed;
}

TEST(CompareSimulation, separate_runs_of_the_same_kernel_may_differ_as_runs_do) {
  CompareOptions options;
  options.resamples = 0;
  options.interleaved = false;
  size_t wrong = 0;
  size_t found = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    Random random(kSeed + i);
    const auto side = [&](double factor) {
      const double us = 20 * factor * std::exp(0.005 * random.normal());
      return simulate({.microseconds = us}, {}, random.next()).baseline;
    };
    const Batches before = side(1);
    const Verdict verdict = compare(side(1), before, options)->verdict;
    wrong += verdict == Verdict::faster || verdict == Verdict::slower ? 1 : 0;
    found += compare(side(1.05), before, options)->verdict == Verdict::slower ? 1 : 0;
  }
  EXPECT_LE(wrong, 8u) << "seeds from " << kSeed;
  EXPECT_GE(found, 380u) << "seeds from " << kSeed;
}

}  // namespace
}  // namespace assay::judge
