// SPDX-License-Identifier: MIT
#include "stats/cliff_delta.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(CliffDelta, agrees_with_all_pairs) {
  EXPECT_NEAR(cliff_delta(sample(golden::small_a), sample(golden::small_b)), golden::cliff_small, 1e-14);
  EXPECT_NEAR(cliff_delta(sample(golden::medium_a), sample(golden::medium_b)), golden::cliff_medium, 1e-14);
  EXPECT_NEAR(cliff_delta(sample(golden::tied_a), sample(golden::tied_b)), golden::cliff_tied, 1e-14);
}

TEST(CliffDelta, reaches_both_ends_and_changes_sign_with_the_order) {
  EXPECT_EQ(cliff_delta(sample({4, 5}), sample({1, 2})), 1);
  EXPECT_EQ(cliff_delta(sample({1, 2}), sample({4, 5})), -1);
  EXPECT_EQ(cliff_delta(sample({1, 2}), sample({1, 2})), 0);
  constexpr uint64_t kSeed = 3;
  Random random(kSeed);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> a(1 + random.below(20));
    std::vector<double> b(1 + random.below(20));
    for (double& x : a) x = static_cast<double>(random.below(15));
    for (double& x : b) x = static_cast<double>(random.below(15));
    const double delta = cliff_delta(sample(a), sample(b));
    EXPECT_GE(delta, -1);
    EXPECT_LE(delta, 1);
    EXPECT_NEAR(delta, -cliff_delta(sample(b), sample(a)), 1e-14) << "seed " << kSeed;
  }
}

TEST(CliffDelta, has_a_word) {
  EXPECT_EQ(magnitude(0.1), "negligible");
  EXPECT_EQ(magnitude(-0.2), "small");
  EXPECT_EQ(magnitude(0.4), "medium");
  EXPECT_EQ(magnitude(-0.474), "large");
}

}  // namespace
}  // namespace assay::stats
