// SPDX-License-Identifier: MIT
#include "judge/timer_ticks.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "judge/compare.hpp"

namespace assay::judge {
namespace {

// A kernel of `us`, whose samples scatter by `deviation_us`, read by a timer that ticks every `tick_us`.
Batches measured(double us, double deviation_us, double tick_us, Random& random) {
  Batches batches(60);
  for (size_t i = 0; i < batches.size(); ++i) {
    batches[i].process = i / 4;
    for (int sample = 0; sample < 10; ++sample)
      batches[i].microseconds.push_back(tick_us * std::round((us + deviation_us * random.normal()) / tick_us));
  }
  return batches;
}

Units units_of(const Batches& candidate, const Batches& baseline) {
  return make_units(candidate, baseline, true, false);
}

TEST(TimerTicks, are_the_smallest_difference_of_readings) {
  Random random(1);
  const Batches first = measured(5, 0.6, 0.5, random);
  EXPECT_DOUBLE_EQ(timer_ticks(units_of(first, first)).tick_us, 0.5);
  Batches rounded = first;  // as a float keeps them
  for (Batch& batch : rounded) {
    for (double& time : batch.microseconds) time = static_cast<double>(static_cast<float>(time * 1e-3)) * 1e3;
  }
  EXPECT_NEAR(timer_ticks(units_of(first, rounded)).tick_us, 0.5, 1e-5);
}

TEST(TimerTicks, hide_half_a_tick_of_each_side_where_all_readings_agree) {
  Random random(2);
  const Batches still = measured(5, 0, 0.5, random);
  const Batches later = measured(5.5, 0, 0.5, random);
  EXPECT_NEAR(timer_ticks(units_of(later, still)).hidden, -std::log1p(-0.25 / 5.5) - std::log1p(-0.25 / 5), 1e-12);
  EXPECT_NEAR(timer_ticks(units_of(still, still)).hidden, -2 * std::log(0.5), 1e-12) << "one reading: any tick";
}

TEST(TimerTicks, hide_nothing_where_samples_scatter_over_several) {
  Random random(3);
  const Batches plain = measured(20, 0.5, 0.03, random);
  EXPECT_LT(timer_ticks(units_of(plain, plain)).hidden, 1e-4);
  const Batches samples(8, Batch{{20.1, 20.2, 20.35, 20.4, 20.5}, {}, {}});
  EXPECT_EQ(timer_ticks(units_of(samples, samples)).hidden, 0);
}

// The bound holds: wherever between two ticks the times of the sides lie, and however much they scatter.
TEST(TimerTicks, bound_the_error_of_the_ratio) {
  constexpr uint64_t kTicksSeed = 11;
  Random random(kTicksSeed);
  for (const double deviation : {0.0, 0.05, 0.1, 0.2, 0.3, 0.5}) {
    for (int trial = 0; trial < 40; ++trial) {
      const double candidate_us = 10 + random.uniform();
      const double baseline_us = 10 + random.uniform();
      const Batches candidate = measured(candidate_us, deviation, 1, random);
      const Batches baseline = measured(baseline_us, deviation, 1, random);
      const stats::RatioEstimate estimate = ratio_of(candidate, baseline, {});
      const double error = std::abs(estimate.log_ratio - std::log(candidate_us / baseline_us));
      const double noise = 4 * deviation / 10 / std::sqrt(600.0);
      EXPECT_LE(error, timer_ticks(units_of(candidate, baseline)).hidden + noise)
          << candidate_us << " and " << baseline_us << " us, deviation " << deviation << ", seed " << kTicksSeed;
    }
  }
}

}  // namespace
}  // namespace assay::judge
