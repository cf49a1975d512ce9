// SPDX-License-Identifier: MIT
#include "judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "judge/simulation.hpp"

namespace assay::judge {
namespace {

bool warns_of(const Comparison& comparison, std::string_view words) {
  return std::any_of(comparison.warnings.begin(), comparison.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

TEST(Compare, brings_all_the_evidence) {
  const SimulatedRun run = simulate({.slowdown = 0.03}, {}, 1);
  const Comparison result = compare(run.candidate, run.baseline).value();
  EXPECT_EQ(result.verdict, Verdict::slower);
  EXPECT_NEAR(result.ratio, 1.03, 0.01);
  EXPECT_TRUE(result.interval.contains(1.03));
  EXPECT_GT(result.interval.low, 1);
  EXPECT_LT(result.p, 0.005);
  EXPECT_LT(result.mann_whitney_p, 1e-6);
  EXPECT_GT(result.cliff_delta, 0.7);
  EXPECT_NEAR(result.hodges_lehmann, 1.03, 0.01);
  EXPECT_TRUE(result.hodges_lehmann_interval.contains(1.03));
  EXPECT_NEAR(result.median_ratio, 1.03, 0.01);
  EXPECT_TRUE(result.median_ratio_interval.contains(result.median_ratio));
  EXPECT_GE(result.minimum_detectable_effect, 0.01);
  EXPECT_LT(result.minimum_detectable_effect, 0.03);
  EXPECT_TRUE(result.replicated);
  EXPECT_GE(result.units, 6u);
  EXPECT_EQ(result.candidate.processes, result.units);
  EXPECT_EQ(result.candidate.time_us.count, 40 * result.units);
  EXPECT_EQ(result.baseline.batches, 4 * result.units);
  EXPECT_GT(result.between_batches, 0.001);
  EXPECT_LT(result.between_processes, 0.01);
  EXPECT_GT(result.likely.low, result.interval.low);
  EXPECT_TRUE(result.baseline.median_interval.contains(result.baseline.time_us.p50));
  EXPECT_FALSE(result.cycles.has_value());
}

TEST(Compare, is_the_same_every_time_and_mirrors_when_the_sides_change_places) {
  const SimulatedRun run = simulate({.slowdown = 0.02}, {}, 2);
  const Comparison forth = compare(run.candidate, run.baseline).value();
  EXPECT_EQ(forth, compare(run.candidate, run.baseline).value());
  const Comparison back = compare(run.baseline, run.candidate).value();
  EXPECT_NEAR(forth.ratio * back.ratio, 1, 1e-12);
  EXPECT_NEAR(forth.p, back.p, 1e-12);
  EXPECT_NEAR(forth.cliff_delta, -back.cliff_delta, 1e-12);
  EXPECT_NEAR(forth.hodges_lehmann * back.hodges_lehmann, 1, 1e-9);
}

TEST(Compare, removes_shared_drift_from_the_effect_sizes) {
  const SimulatedRun run = simulate({.noise = Noise::drift, .slowdown = 0.03}, {}, 3);
  const Comparison result = compare(run.candidate, run.baseline).value();
  EXPECT_EQ(result.verdict, Verdict::slower);
  EXPECT_NEAR(result.hodges_lehmann, 1.03, 0.015);
  EXPECT_GT(result.cliff_delta, 0.5);
}

TEST(Compare, confirms_in_cycles_where_clocks_are_known) {
  SimulatedRun run = simulate({.slowdown = 0.03}, {}, 4);
  for (Batch& batch : run.candidate) batch.clock_mhz = 1940;  // 3 % lower: the kernel itself is the same
  for (Batch& batch : run.baseline) batch.clock_mhz = 2000;
  const Comparison clocks = compare(run.candidate, run.baseline).value();
  EXPECT_EQ(clocks.verdict, Verdict::inconclusive);
  ASSERT_TRUE(clocks.cycles.has_value());
  EXPECT_FALSE(clocks.cycles->confirms);
  EXPECT_NEAR(clocks.cycles->ratio, 1.0, 0.01);
  EXPECT_EQ(clocks.candidate.clock_mhz, 1940);

  for (Batch& batch : run.candidate) batch.clock_mhz = 2000;
  EXPECT_EQ(compare(run.candidate, run.baseline)->verdict, Verdict::slower);
  run.candidate[0].clock_mhz.reset();  // one missing clock: no cycles
  EXPECT_FALSE(compare(run.candidate, run.baseline)->cycles.has_value());
}

TEST(Compare, leaves_few_throttled_samples_out_and_judges_none_of_many) {
  SimulatedRun run = simulate({}, {.most = 6}, 5);
  for (Batch& batch : run.candidate) {
    batch.throttled.assign(batch.microseconds.size(), false);
    batch.throttled[0] = true;
    batch.microseconds[0] *= 3;
  }
  const Comparison few = compare(run.candidate, run.baseline).value();
  EXPECT_EQ(few.verdict, Verdict::same);
  EXPECT_EQ(few.candidate.time_us.count, 216u);
  EXPECT_DOUBLE_EQ(few.candidate.throttled_fraction, 0.1);
  EXPECT_FALSE(warns_of(few, "unequally"));

  for (Batch& batch : run.candidate) batch.throttled.assign(batch.microseconds.size(), true);
  const Comparison all = compare(run.candidate, run.baseline).value();
  EXPECT_EQ(all.verdict, Verdict::throttled);
  EXPECT_EQ(all.candidate.time_us.count, 240u);  // the figures are there all the same
  EXPECT_TRUE(warns_of(all, "unequally"));
}

TEST(Compare, warns_of_samples_that_are_not_independent) {
  const SimulatedRun correlated = simulate({.noise = Noise::correlated_98}, {}, 6);
  EXPECT_TRUE(warns_of(compare(correlated.candidate, correlated.baseline).value(), "not independent"));
  const SimulatedRun plain = simulate({}, {}, 7);
  EXPECT_FALSE(warns_of(compare(plain.candidate, plain.baseline).value(), "not independent"));
}

TEST(Compare, is_inconclusive_for_lack_of_samples_never_an_error) {
  const Comparison one = compare({{{20}, {}, {}}}, {{{21}, {}, {}}}).value();
  EXPECT_EQ(one.verdict, Verdict::inconclusive);
  EXPECT_TRUE(std::isinf(one.minimum_detectable_effect));
  // Complete pairs are missing: batch 1 of one side and batch 2 of the other were throttled.
  const Comparison gaps =
      compare({{{20}, {true}, {}}, {{20}, {}, {}}}, {{{20}, {}, {}}, {{20}, {true}, {}}}, {.max_throttled = 0.6})
          .value();
  EXPECT_EQ(gaps.verdict, Verdict::inconclusive);  // of one process each
}

Batches without_noise(std::vector<double> times) {
  Batches batches(8, Batch{std::move(times), {}, {}});
  for (size_t i = 0; i < batches.size(); ++i) batches[i].process = i / 2;
  return batches;
}

TEST(Compare, handles_times_without_noise) {
  // One sample of five is a tick later: the timer is fine enough.
  const Batches twenty = without_noise({20, 20, 20, 20, 20.03});
  const Batches slower = without_noise({20.5, 20.5, 20.5, 20.5, 20.53});
  EXPECT_EQ(compare(twenty, twenty)->verdict, Verdict::same);
  EXPECT_EQ(compare(slower, twenty)->verdict, Verdict::slower);
  EXPECT_EQ(compare(twenty, slower)->verdict, Verdict::faster);
}

// Whatever lies between two ticks reads the same: that all readings agree is no evidence.
TEST(Compare, never_says_more_than_the_ticks_of_the_timer_show) {
  const Batches two = without_noise({2, 2, 2, 2, 2.5});
  const Comparison same = compare(two, two).value();
  EXPECT_EQ(same.verdict, Verdict::inconclusive);
  EXPECT_TRUE(warns_of(same, "the timer ticks every 0.5 us and samples agree"));
  EXPECT_GT(same.minimum_detectable_effect, 0.25);
  EXPECT_EQ(compare(without_noise({2.5, 2.5, 2.5, 2.5, 2}), two)->verdict, Verdict::inconclusive);  // 2.2501, 2.2499
  EXPECT_EQ(compare(without_noise({4, 4, 4, 4, 4.5}), two)->verdict, Verdict::slower);
  EXPECT_EQ(compare(without_noise({20}), without_noise({20}))->verdict, Verdict::inconclusive) << "a timer that stands";
}

TEST(Compare, refuses_impossible_samples_and_options) {
  const Batches good(8, Batch{{20, 21}, {}, {}});
  EXPECT_FALSE(compare({}, good).ok());
  EXPECT_EQ(compare(good, {{{-1}, {}, {}}}).error().message, "the baseline: sample 1 of batch 1 took -1 us");
  EXPECT_FALSE(compare(good, good, {.margin = 0}).ok());
  EXPECT_FALSE(compare(good, good, {.minimum_effect = -0.1}).ok());
  EXPECT_FALSE(compare(good, good, {.alpha = 1}).ok());
  EXPECT_FALSE(compare(good, good, {.power = NAN}).ok());
  EXPECT_FALSE(compare(good, good, {.max_throttled = 2}).ok());
  EXPECT_FALSE(compare(good, good, {.run_spread = -1}).ok());
  EXPECT_FALSE(compare(good, good, {.process_spread = ProcessSpread{-1, 0}}).ok());
  EXPECT_FALSE(compare(good, good, {.resamples = 100'000'000}).ok());
  EXPECT_TRUE(compare(good, good).ok());
}

}  // namespace
}  // namespace assay::judge
