// SPDX-License-Identifier: MIT
#include "tune/strategy.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "base/random.hpp"
#include "small_space.hpp"
#include "tune/replay.hpp"
#include "tune/synthetic.hpp"

namespace assay::tune {
namespace {

std::vector<size_t> sequence(const std::string& name, const Space& space, uint64_t seed, size_t batch, size_t count,
                             bool fails = false) {
  const auto strategy = make_strategy(name, space, {seed, count, {}});
  std::vector<size_t> order;
  while (order.size() < count) {
    const std::vector<size_t> picks = (*strategy)->propose(batch);
    if (picks.empty()) break;
    for (const size_t pick : picks) {
      order.push_back(pick);
      (*strategy)->tell(pick, fails || pick % 5 == 0 ? Outcome{} : Outcome{small_time(space, pick)});
    }
  }
  return order;
}

class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, ProposesEveryConfigurationOnceAndThenNone) {
  const Space space = small_space();
  for (const size_t batch : {1, 3, 8}) {
    const std::vector<size_t> order = sequence(GetParam(), space, 1, batch, 1000);
    EXPECT_EQ(order.size(), space.size()) << batch;
    EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), space.size()) << batch;
  }
}

TEST_P(EveryStrategy, IsPureAndSeeded) {
  const Space space = small_space();
  EXPECT_EQ(sequence(GetParam(), space, 7, 1, 40), sequence(GetParam(), space, 7, 1, 40));
  if (GetParam() != "exhaustive") {
    EXPECT_NE(sequence(GetParam(), space, 7, 1, 40), sequence(GetParam(), space, 8, 1, 40));
  }
}

TEST_P(EveryStrategy, SurvivesThatEverythingFails) {
  const Space space = small_space();
  EXPECT_EQ(sequence(GetParam(), space, 3, 4, 1000, true).size(), space.size());
}

TEST_P(EveryStrategy, WorksOnASpaceOfOne) {
  const auto space = Space::make({{"A", {number_value(1)}}}, {0});
  EXPECT_EQ(sequence(GetParam(), *space, 1, 4, 10), (std::vector<size_t>{0}));
}

// What is predicted may change while the search goes on.
TEST(ModelSearch, BeginsWhereItExpectsTheBest) {
  const Space space = small_space();
  std::vector<double> predicted(space.size());
  for (size_t i = 0; i < space.size(); ++i) predicted[i] = 1000 * small_time(space, i);
  const auto strategy = make_strategy("model", space, {3, 20, {}, {}});
  (*strategy)->expect(predicted);
  const std::vector<size_t> first = (*strategy)->propose(1);
  EXPECT_EQ(space.id(first[0]), "BLOCK=128,ITEMS=3,LAYOUT=columns");
  (*strategy)->tell(first[0], {1.0});
  (*strategy)->expect({});  // nothing is known any more, and nothing happens
  EXPECT_EQ((*strategy)->propose(1).size(), 1u);
  const auto other = make_strategy("random", space, {3, 20, {}, {}});
  (*other)->expect(predicted);  // of no use to it
  EXPECT_EQ((*other)->propose(1).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, testing::ValuesIn(strategy_names()),
                         [](const auto& name) { return name.param; });

TEST(Strategy, UnknownNamesAreRefusedWithTheKnownOnes) {
  const auto strategy = make_strategy("magic", small_space(), {});
  ASSERT_FALSE(strategy.ok());
  EXPECT_NE(strategy.error().hint.find("annealing"), std::string::npos);
}

TEST(Strategy, TheModelBeatsTheYardsticksOnASyntheticSpace) {
  const RecordedSpace recorded = synthetic_space("convolution", 107);
  const auto mean_evaluations = [&](const std::string& name) {
    double sum = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const ReplayRun run = replay_once(recorded, {name, 100, 1, seed, 1, false}, seed);
      sum += static_cast<double>(run.to_5.value_or(200));
    }
    return sum / 4;
  };
  const double model = mean_evaluations("model");
  EXPECT_LT(model, 40);
  EXPECT_LT(model, mean_evaluations("annealing"));
  EXPECT_LT(model, mean_evaluations("genetic"));
  EXPECT_LT(model, mean_evaluations("random"));
}

TEST(Strategy, CountersHelpAndWrongOnesDoLittleHarm) {
  const RecordedSpace recorded = synthetic_space("convolution", 101);
  const auto with = [&](std::vector<double> predicted, uint64_t seed) {
    const auto strategy = make_strategy("model", recorded.space, {seed, 60, std::move(predicted)});
    double best = 1e300;
    size_t evaluations = 0;
    while (evaluations < 60 && best > recorded.best() * 1.05) {
      const size_t pick = (*strategy)->propose(1).at(0);
      (*strategy)->tell(pick, {recorded.milliseconds[pick]});
      best = std::min(best, recorded.milliseconds[pick].value_or(best));
      ++evaluations;
    }
    return evaluations;
  };
  std::vector<double> perfect, backwards;
  for (const auto& time : recorded.milliseconds) {
    perfect.push_back(time.value_or(1e6));
    backwards.push_back(1 / time.value_or(1e6));
  }
  size_t good = 0, none = 0, bad = 0;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    good += with(perfect, seed);
    none += with({}, seed);
    bad += with(backwards, seed);
  }
  EXPECT_LE(good, 3u * 6);
  EXPECT_LT(good, none);
  EXPECT_LT(bad, 3 * 60u);  // it stops believing them and gets there all the same
}

// Counters that have nothing to do with the kernel: the search goes as if there were none.
// Those that were not counted are thought to be as good as what is beside them, not bad.
TEST(Strategy, WhatWasNotCountedIsNotShunned) {
  RecordedSpace recorded = synthetic_space("convolution", 1);
  const size_t columns = recorded.counters.names.size();
  for (size_t i = 0; i < recorded.space.size(); ++i) {
    const bool good = recorded.milliseconds[i] && *recorded.milliseconds[i] <= 1.05 * recorded.best();
    if (!good && i % 3 != 0) continue;
    for (size_t column = 0; column < columns; ++column) recorded.counters.values[i * columns + column] = kNotCounted;
  }
  size_t evaluations = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed)
    evaluations += replay_once(recorded, {"model", 80, 1, 1, 1, true}, seed).to_5.value_or(80);
  EXPECT_LE(evaluations, 80u);  // 38; 179 where they were
}

TEST(Strategy, CountersOfNothingCostNothing) {
  const RecordedSpace recorded = synthetic_space("convolution", 8);
  CounterTable noise{{"inst_executed", "shared_load_transactions", "registers", "block_size"}, {}};
  Random random(5);
  for (size_t i = 0; i < recorded.space.size(); ++i)
    noise.values.insert(noise.values.end(), {1e8 * std::exp(random.normal()), 1e7 * std::exp(random.normal()),
                                             16 + 100 * random.uniform(), 32 + 32.0 * double(random.below(16))});
  const auto sequence_of = [&](std::vector<std::vector<Demand>> demands) {
    const auto strategy = make_strategy("model", recorded.space, {3, 30, {}, std::move(demands)});
    std::vector<size_t> order;
    for (int i = 0; i < 30; ++i) {
      order.push_back((*strategy)->propose(1).at(0));
      (*strategy)->tell(order.back(), {recorded.milliseconds[order.back()]});
    }
    return order;
  };
  EXPECT_EQ(sequence_of(demands_by_kind(noise)), sequence_of({}));
  EXPECT_NE(sequence_of(demands_by_kind(recorded.counters)), sequence_of({}));
}

// What a step takes must not grow with all that was evaluated: beyond a number some of it has to do.
TEST(ModelSearch, AWholeSpaceOfThousandsIsEvaluatedOneByOne) {
  std::vector<Parameter> parameters;
  for (const char* name : {"A", "B", "C", "D"}) {
    parameters.push_back({name, {}});
    for (int value = 1; value <= 6; ++value) parameters.back().values.push_back(number_value(value));
  }
  std::vector<uint16_t> rows;
  for (uint16_t i = 0; i < 1296; ++i) {
    for (const int place : {216, 36, 6, 1}) rows.push_back(static_cast<uint16_t>(i / place % 6));
  }
  const auto space = Space::make(parameters, rows);
  ASSERT_TRUE(space.ok());
  const std::vector<size_t> order = sequence("model", *space, 3, 1, 2000);
  EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), 1296u);
  EXPECT_EQ(order.size(), 1296u);
}

TEST(Strategy, ALargeSpaceIsSearchedInASample) {
  std::vector<Parameter> parameters;
  std::vector<uint16_t> rows;
  for (int p = 0; p < 5; ++p) {
    Parameter& parameter = parameters.emplace_back(Parameter{"P" + std::to_string(p), {}});
    for (int value = 1; value <= 10; ++value) parameter.values.push_back(number_value(value));
  }
  for (uint32_t i = 0; i < 100000; ++i) {
    for (uint32_t p = 0, rest = i; p < 5; ++p, rest /= 10) rows.push_back(static_cast<uint16_t>(rest % 10));
  }
  const auto space = Space::make(std::move(parameters), std::move(rows));
  const auto strategy = make_strategy("model", *space, {1, 60, {}});
  double best = 1e300;
  for (int i = 0; i < 60; ++i) {
    const size_t pick = (*strategy)->propose(1).at(0);
    double time = 1;
    for (size_t p = 0; p < 5; ++p) time += 0.1 * std::fabs(*space->value(pick, p).number - 4);
    (*strategy)->tell(pick, {time});
    best = std::min(best, time);
  }
  EXPECT_LT(best, 1.25);  // of 100,000, 51 are that good
}

}  // namespace
}  // namespace assay::tune
