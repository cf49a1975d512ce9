// SPDX-License-Identifier: MIT
#include "tune/race.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace assay::tune {
namespace {

struct Finish {
  std::vector<RaceStanding> standings;
  double bound = 0;
  size_t heats = 0;
};

Finish run(const std::vector<double>& truth, double noise, uint64_t seed) {
  std::vector<size_t> all;
  for (size_t i = 0; i < truth.size(); ++i) all.push_back(i);
  Race race(all, {}, seed);
  Random random(seed * 977 + 1);
  Finish finish;
  while (const auto heat = race.next()) {
    double sum = 0;
    for (size_t i = 0; i < heat->samples; ++i) sum += truth[heat->configuration] * (1 + noise * random.normal());
    race.add(heat->configuration, std::vector{sum / static_cast<double>(heat->samples)});
    ++finish.heats;
  }
  finish.standings = race.standings();
  finish.bound = race.regret_bound();
  return finish;
}

TEST(Race, SeparatesWhatDiffersAndTiesWhatDoesNot) {
  const Finish clear = run({1.00, 1.04, 1.10}, 0.005, 1);
  EXPECT_EQ(clear.standings[0].configuration, 0u);
  EXPECT_TRUE(clear.standings[0].tied);
  EXPECT_FALSE(clear.standings[1].tied);
  const Finish tie = run({1.00, 1.00, 1.10}, 0.005, 1);
  EXPECT_TRUE(tie.standings[0].tied && tie.standings[1].tied);
  EXPECT_FALSE(tie.standings[2].tied);
}

TEST(Race, EndsSoonWithoutNoise) {
  EXPECT_LE(run({1.0, 1.2, 1.5}, 0, 1).heats, 6u);
}

TEST(Race, TheTieGroupHoldsTheBestAndTheBoundHolds) {
  size_t held = 0, bounded = 0;
  double regret = 0;
  const std::vector<double> truth{1.003, 1.0, 1.006, 1.01, 1.001, 1.05};
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Finish finish = run(truth, 0.01, seed);
    held += std::ranges::any_of(finish.standings,
                                [](const RaceStanding& each) { return each.tied && each.configuration == 1; });
    const double lost = truth[finish.standings[0].configuration] - 1;
    regret += lost / 200;
    bounded += lost <= finish.bound + 1e-12 ? 1 : 0;
  }
  EXPECT_GE(held, 190u);
  EXPECT_GE(bounded, 190u);
  EXPECT_LE(regret, 0.005);
}

// Whoever takes another one of the tie group, by a second criterion, may lose more than with the fastest.
TEST(Race, EveryMemberHasABoundOfItsOwn) {
  const std::vector<double> truth{1.0, 1.0015, 1.3};
  Race race({0, 1, 2}, {}, 1);
  while (const auto heat = race.next()) race.add(heat->configuration, std::vector{truth[heat->configuration]});
  ASSERT_EQ(race.standings()[1].configuration, 1u);
  EXPECT_TRUE(race.standings()[1].tied);
  EXPECT_NEAR(race.regret_bound(), 0, 1e-9);
  EXPECT_NEAR(race.regret_bound(0).value(), 0, 1e-9);
  EXPECT_NEAR(race.regret_bound(1).value(), 0.0015, 1e-9);
  EXPECT_NEAR(race.regret_bound(2).value(), 0.3, 1e-9);
  EXPECT_FALSE(race.regret_bound(7).has_value());
}

TEST(Race, WhoFailsIsOut) {
  Race race({4, 9}, {}, 1);
  while (const auto heat = race.next())
    race.add(heat->configuration, heat->configuration == 4 ? std::vector<double>{} : std::vector{2.0});
  ASSERT_EQ(race.standings().size(), 1u);
  EXPECT_EQ(race.standings()[0].configuration, 9u);
}

TEST(Race, FinalistsAreTheFastestWithinFivePercent) {
  EXPECT_EQ(finalists({{1.0, 7}, {1.04, 3}, {1.06, 5}}), (std::vector<size_t>{7, 3}));
  std::vector<std::pair<double, size_t>> many;
  for (size_t i = 0; i < 100; ++i) many.emplace_back(1.0, i);
  EXPECT_EQ(finalists(many).size(), 24u);
}

}  // namespace
}  // namespace assay::tune
