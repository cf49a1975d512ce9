// SPDX-License-Identifier: MIT
#include "stats/mann_whitney.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

void expect_scipy(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& expected,
                  bool exact) {
  const Sample first = sample(a);
  const Sample second = sample(b);
  const MannWhitney two_sided = mann_whitney(first, second);
  EXPECT_EQ(two_sided.u, expected[0]);
  EXPECT_EQ(two_sided.exact, exact);
  EXPECT_NEAR(two_sided.p, expected[1], 1e-12);
  EXPECT_NEAR(mann_whitney(first, second, Alternative::less).p, expected[2], 1e-12);
  EXPECT_NEAR(mann_whitney(first, second, Alternative::greater).p, expected[3], 1e-12);
}

TEST(MannWhitney, agrees_with_scipy) {
  expect_scipy(golden::small_a, golden::small_b, golden::mann_whitney_small, true);
  expect_scipy(golden::medium_a, golden::medium_b, golden::mann_whitney_medium, false);
  expect_scipy(golden::tied_a, golden::tied_b, golden::mann_whitney_tied, false);
}

TEST(MannWhitney, counts_by_hand) {
  const MannWhitney apart = mann_whitney(sample({1, 2, 3}), sample({4, 5, 6}));
  EXPECT_EQ(apart.u, 0);
  EXPECT_DOUBLE_EQ(apart.p, 0.1);  // 2 of 20 orderings
  EXPECT_EQ(mann_whitney(sample({1, 1}), sample({1, 1})).p, 1);
  EXPECT_EQ(mann_whitney_u(sample({2}), sample({1, 2, 3})), 1.5);
  const std::vector<double> distribution = mann_whitney_distribution(2, 2);
  ASSERT_EQ(distribution.size(), 5u);
  for (size_t u = 0; u < 5; ++u) EXPECT_DOUBLE_EQ(distribution[u], (u == 2 ? 2.0 : 1.0) / 6.0);
}

TEST(MannWhitney, distribution_sums_to_one_and_is_symmetric) {
  const std::vector<double> distribution = mann_whitney_distribution(30, 30);
  double sum = 0;
  for (size_t u = 0; u < distribution.size(); ++u) {
    sum += distribution[u];
    EXPECT_NEAR(distribution[u] / distribution[distribution.size() - 1 - u], 1.0, 1e-9);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(MannWhitney, is_symmetric_in_the_samples) {
  constexpr uint64_t kSeed = 7;
  Random random(kSeed);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> a(1 + random.below(40));
    std::vector<double> b(1 + random.below(40));
    for (double& x : a) x = static_cast<double>(random.below(trial % 2 == 0 ? 10 : 1'000'000));
    for (double& x : b) x = static_cast<double>(random.below(trial % 2 == 0 ? 10 : 1'000'000));
    const MannWhitney ab = mann_whitney(sample(a), sample(b));
    const MannWhitney ba = mann_whitney(sample(b), sample(a));
    EXPECT_EQ(ab.u + ba.u, static_cast<double>(a.size() * b.size())) << "seed " << kSeed;
    EXPECT_DOUBLE_EQ(ab.p, ba.p);
    EXPECT_DOUBLE_EQ(mann_whitney(sample(a), sample(b), Alternative::less).p,
                     mann_whitney(sample(b), sample(a), Alternative::greater).p);
  }
}

}  // namespace
}  // namespace assay::stats
