// SPDX-License-Identifier: MIT
#include "learn/effects.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "recorded.hpp"

namespace assay::learn {
namespace {

// How many of `trials`, in the order of `order`, are tried until one is within 5 % of the best.
size_t evaluations(const std::vector<Trial>& trials, const std::vector<Values>& order) {
  double best = INFINITY;
  for (const Trial& trial : trials) best = std::min(best, trial.time_us);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto found = std::ranges::find(trials, order[i], &Trial::values);
    if (found->time_us <= 1.05 * best) return i + 1;
  }
  return order.size();
}

// Random order needs (N + 1) / (k + 1) on average if k of N are good enough.
double random_evaluations(const std::vector<Trial>& trials) {
  double best = INFINITY;
  for (const Trial& trial : trials) best = std::min(best, trial.time_us);
  const auto good = std::ranges::count_if(trials, [&](const Trial& trial) { return trial.time_us <= 1.05 * best; });
  return (static_cast<double>(trials.size()) + 1) / (static_cast<double>(good) + 1);
}

// What a part of the recorded runs at one size teaches is followed at the other size.
TEST(Effects, advice_from_one_size_beats_random_order_at_another) {
  const std::vector<Trial> runs[2] = {recorded("4096"), recorded("8192")};
  double advised = 0, random = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    std::vector<Trial> known = runs[seed % 2];
    const std::vector<Trial>& target = runs[(seed + 1) % 2];
    Random shuffle(seed);
    for (size_t i = known.size(); i > 1; --i) std::swap(known[i - 1], known[shuffle.below(i)]);
    known.resize(40);
    std::vector<Values> candidates;
    for (const Trial& trial : target) candidates.push_back(trial.values);
    const size_t needed = evaluations(target, ranked(Effects::fit(known), candidates));
    EXPECT_LE(static_cast<double>(needed), random_evaluations(target)) << "seed " << seed;
    advised += static_cast<double>(needed);
    random += random_evaluations(target);
  }
  RecordProperty("advised_of_random", std::to_string(advised / random));
  EXPECT_LE(advised, 0.7 * random) << advised / 12 << " against " << random / 12;
}

TEST(Effects, where_nothing_is_known_nothing_is_said) {
  EXPECT_TRUE(Effects::fit({}).empty());
  EXPECT_DOUBLE_EQ(Effects::fit({}).factor({{"A", "1"}}), 1);
  const std::vector<Values> candidates = {{{"A", "3"}}, {{"A", "1"}}, {{"A", "2"}}};
  EXPECT_EQ(ranked(Effects::fit({}), candidates), candidates);
}

TEST(Effects, places_of_different_levels_are_not_mixed_up) {
  // A=2 is faster at both places; the slow place has only been tried with it.
  std::vector<Trial> trials;
  const auto add = [&](const char* shape, const char* value, double time_us) {
    Trial trial;
    trial.shape = shape;
    trial.values = {{"A", value}};
    trial.time_us = time_us;
    trials.push_back(trial);
  };
  for (int i = 0; i < 5; ++i) add("small", "1", 10), add("small", "2", 8), add("large", "2", 1000);
  const Effects effects = Effects::fit(trials);
  EXPECT_LT(effects.factor({{"A", "2"}}), effects.factor({{"A", "1"}}));
}

TEST(Effects, one_very_slow_result_does_not_drown_the_others) {
  std::vector<Trial> trials;
  for (int i = 0; i < 6; ++i) {
    Trial trial;
    trial.shape = "s";
    trial.values = {{"A", std::to_string(i % 3)}, {"B", std::to_string(i / 3)}};
    trial.time_us = i == 5 ? 1e9 : 10 + i % 3;
    trials.push_back(trial);
  }
  const Effects effects = Effects::fit(trials);
  EXPECT_LT(effects.factor({{"A", "0"}, {"B", "1"}}), effects.factor({{"A", "1"}, {"B", "1"}}));
}

}  // namespace
}  // namespace assay::learn
