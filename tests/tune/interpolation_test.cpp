// SPDX-License-Identifier: MIT
#include "tune/interpolation.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "small_space.hpp"

namespace assay::tune {
namespace {

// Powers of the parameters, as counts of a kernel are; the last one is always zero.
std::vector<double> amounts_at(const Space& space, size_t configuration) {
  const double block = *space.value(configuration, 0).number, items = *space.value(configuration, 1).number;
  const bool columns = space.value(configuration, 2).text == "columns";
  return {1e6 * block / items, 5e4 * items * (columns ? 1 : 8), 32 + 8 * items, 0};
}

TEST(Interpolation, WhatIsNotKnownFollowsFromItsNeighbours) {
  const Space space = small_space();
  Interpolation interpolation(describe(space));
  Random random(5);
  std::vector<size_t> known;
  std::vector<std::vector<double>> amounts;
  while (known.size() < 16) {
    const size_t pick = random.below(space.size());
    if (std::find(known.begin(), known.end(), pick) != known.end()) continue;
    known.push_back(pick);
    amounts.push_back(amounts_at(space, pick));
  }
  interpolation.learn(known, amounts);
  EXPECT_LT(interpolation.error(), 0.2);
  double worst = 0;
  for (size_t i = 0; i < space.size(); ++i) {
    const std::vector<double> guess = interpolation.at(i), truth = amounts_at(space, i);
    for (size_t a = 0; a < 3; ++a) worst = std::max(worst, std::fabs(std::log(guess[a] / truth[a])));
    EXPECT_NEAR(guess[3], 0, 1e-6);
  }
  EXPECT_LT(worst, 0.4);
  for (size_t i = 0; i < known.size(); ++i) {
    for (size_t a = 0; a < 3; ++a) EXPECT_NEAR(interpolation.at(known[i])[a] / amounts[i][a], 1, 0.05);
  }
}

TEST(Interpolation, OfTwoConfigurationsAndOfOneAlone) {
  const auto one = Space::make({{"A", {number_value(1)}}}, {0});
  Interpolation alone(describe(*one));
  alone.learn(std::vector<size_t>{0}, {{5, 0}});
  EXPECT_NEAR(alone.at(0)[0], 5, 0.1);
  const Space space = small_space();
  Interpolation two(describe(space));
  two.learn(std::vector<size_t>{0, 63}, {{10}, {1000}});
  EXPECT_NEAR(two.at(63)[0], 1000, 10);
  for (size_t i = 0; i < space.size(); ++i) EXPECT_TRUE(std::isfinite(two.at(i)[0]));
}

}  // namespace
}  // namespace assay::tune
