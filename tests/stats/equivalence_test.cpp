// SPDX-License-Identifier: MIT
#include "stats/equivalence.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

constexpr uint64_t kSeed = 17;

Sample noisy(double median, size_t count, Random& random) {
  std::vector<double> values(count);
  for (double& value : values) value = median * std::exp(0.01 * random.normal());
  return sample(values);
}

TEST(Equivalence, holds_for_the_same_and_not_beyond_the_margin) {
  Random random(kSeed);
  const Sample base = noisy(20, 100, random);
  EXPECT_LT(equivalence(noisy(20, 100, random), base, 0.03).p, 1e-6);
  const Equivalence slow = equivalence(noisy(20.8, 100, random), base, 0.03);
  EXPECT_GT(slow.p, 0.5);
  EXPECT_EQ(slow.p, slow.p_too_high);
  const Equivalence fast = equivalence(noisy(19.2, 100, random), base, 0.03);
  EXPECT_GT(fast.p, 0.5);
  EXPECT_EQ(fast.p, fast.p_too_low);
}

TEST(Equivalence, is_not_claimed_for_lack_of_data) {
  Random random(kSeed);
  EXPECT_GT(equivalence(noisy(20, 2, random), noisy(20, 2, random), 0.03).p, 0.05);
}

// At the margin's edge the claim must be wrong in at most alpha of the trials.
TEST(Equivalence, errs_at_the_edge_as_often_as_it_may) {
  Random random(kSeed);
  int claims = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    claims += equivalence(noisy(20.6, 50, random), noisy(20, 50, random), 0.03).p < 0.05;
  }
  EXPECT_LT(claims, 0.075 * kTrials) << "seed " << kSeed;
  EXPECT_GT(claims, 0.02 * kTrials) << "seed " << kSeed;
}

}  // namespace
}  // namespace assay::stats
