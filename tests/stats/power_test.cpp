// SPDX-License-Identifier: MIT
#include "stats/power.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"
#include "stats/mann_whitney.hpp"
#include "stats/ratio_estimate.hpp"

namespace assay::stats {
namespace {

TEST(Power, grows_with_the_error_and_falls_with_degrees_of_freedom) {
  constexpr double kManyDegrees = 1e9;
  const double effect = minimum_detectable_effect(0.01, kManyDegrees, 0.05, 0.8);
  EXPECT_NEAR(effect, std::expm1((1.95996 + 0.84162) * 0.01), 1e-6) << "quantiles of the normal distribution";
  EXPECT_GT(minimum_detectable_effect(0.02, kManyDegrees, 0.05, 0.8), effect);
  EXPECT_GT(minimum_detectable_effect(0.01, 11, 0.05, 0.8), effect);
  EXPECT_GT(minimum_detectable_effect(0.01, kManyDegrees, 0.05, 0.95), effect);
  EXPECT_EQ(minimum_detectable_effect(0, 10, 0.05, 0.8), 0);
}

// A difference of exactly that size is found about as often as promised.
TEST(Power, keeps_its_promise) {
  constexpr uint64_t kSeed = 31;
  Random random(kSeed);
  constexpr int kTrials = 1000;
  constexpr double kError = 0.002;  // of the mean of 12 ratios
  const double effect = std::log1p(minimum_detectable_effect(kError, 11, 0.05, 0.8));
  int found = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> ratios(12);
    for (double& x : ratios) x = effect + kError * std::sqrt(12.0) * random.normal();
    found += paired_ratio(ratios, 0).p_different() < 0.05;
  }
  EXPECT_NEAR(found, 0.8 * kTrials, 0.08 * kTrials) << "seed " << kSeed;
}

}  // namespace
}  // namespace assay::stats
