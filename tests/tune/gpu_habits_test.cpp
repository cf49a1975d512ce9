// SPDX-License-Identifier: MIT
#include "tune/gpu_habits.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "tune/replay.hpp"

namespace assay::tune {
namespace {

// All combinations of powers of two: `names` with their largest exponents.
Space powers(const std::vector<std::pair<std::string, int>>& names) {
  std::vector<Parameter> parameters;
  for (const auto& [name, most] : names) {
    Parameter& parameter = parameters.emplace_back(Parameter{name, {}});
    for (int exponent = 0; exponent <= most; ++exponent) parameter.values.push_back(number_value(std::exp2(exponent)));
  }
  std::vector<uint16_t> rows, row(names.size(), 0);
  for (bool more = true; more;) {
    rows.insert(rows.end(), row.begin(), row.end());
    size_t p = row.size();
    while (p > 0 && ++row[p - 1] == parameters[p - 1].values.size()) row[--p] = 0;
    more = p > 0;
  }
  return std::move(Space::make(parameters, rows)).value();
}

double cost(const Space& space, const std::vector<uint16_t>& exponents) {
  return GpuHabits(space).cost(*space.find(exponents));
}

TEST(GpuHabits, BlocksOfWholeWarpsWithSomeWorkCostNothing) {
  const Space space = powers({{"block_size_x", 10}, {"block_size_y", 5}, {"tile_size_x", 6}});
  EXPECT_EQ(cost(space, {5, 3, 2}), 0);              // 32 x 8 threads, four elements each
  EXPECT_NEAR(cost(space, {5, 0, 2}), 0.24, 1e-6);   // 32 threads
  EXPECT_NEAR(cost(space, {10, 0, 2}), 0.12, 1e-6);  // 1024 threads
  EXPECT_NEAR(cost(space, {3, 5, 2}), 0.24, 1e-6);   // rows of 8
  EXPECT_NEAR(cost(space, {5, 3, 0}), 0.1, 1e-6);    // one element
  EXPECT_NEAR(cost(space, {5, 3, 6}), 0.2, 1e-6);    // 64 elements
}

TEST(GpuHabits, WarpsCountAsThreadsAndTilesOfBlocksAsWorkOfThem) {
  const Space warps = powers({{"BLOCK_M", 8}, {"BLOCK_N", 8}, {"NUM_WARPS", 4}});
  EXPECT_EQ(cost(warps, {7, 6, 2}), 0);             // 128 x 64 with 128 threads
  EXPECT_NEAR(cost(warps, {7, 6, 0}), 0.44, 1e-6);  // one warp: 256 elements of a thread, which is two doublings
  const Space gemm = powers({{"MWG", 7}, {"NWG", 7}, {"MDIMC", 5}, {"NDIMC", 5}, {"VWM", 3}});
  EXPECT_EQ(cost(gemm, {7, 7, 4, 4, 1}), 0);
  EXPECT_NEAR(cost(gemm, {7, 7, 4, 4, 0}), 0.05, 1e-6);
}

TEST(GpuHabits, PartOfAWarpIsWasted) {
  Parameter block{"block_size", {number_value(144), number_value(160)}};
  const Space space = std::move(Space::make({block}, {0, 1})).value();
  EXPECT_NEAR(cost(space, {0}), 0.7 * std::log(160.0 / 144), 1e-6);
  EXPECT_EQ(cost(space, {1}), 0);
}

TEST(GpuHabits, NamesThatSayNothingGiveNone) {
  const GpuHabits habits(powers({{"p", 8}, {"q", 5}}));
  EXPECT_TRUE(habits.empty());
  EXPECT_EQ(habits.cost(3), 0);
  EXPECT_TRUE(GpuHabits(powers({{"block_size_x", 0}})).empty());  // the same for all
}

TEST(GpuHabits, TheyCountLessAndLess) {
  EXPECT_EQ(GpuHabits::weight(3), 1);
  EXPECT_EQ(GpuHabits::weight(24), 0.5);
  EXPECT_EQ(GpuHabits::weight(200), 0);
}

// The same times under names that say nothing and under names that speak for the best, or against it.
struct Searched {
  double best_of_8 = 0;  // mean over seeds: what the best of the first 8 evaluations takes, over the best of all
  double to_5 = 0;
};
Searched search(const std::vector<std::pair<std::string, int>>& names, double wanted_threads) {
  const Space space = powers(names);
  std::vector<std::optional<double>> times;
  for (size_t i = 0; i < space.size(); ++i) {
    const auto exponent = [&](size_t p) { return static_cast<double>(space.row(i)[p]); };
    const double threads = std::fabs(exponent(0) + exponent(1) - std::log2(wanted_threads));
    times.push_back(1 + 0.25 * threads + 0.05 * std::fabs(exponent(2) - 2) + 0.04 * std::fabs(exponent(3) - 4) +
                    0.03 * std::fabs(exponent(1) - 2));
  }
  const RecordedSpace recorded{"made", "", space, times, {}, {}, {}, {}};
  Searched mean;
  constexpr int kSeeds = 24;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ReplayOptions options;
    options.budget = 60;
    const ReplayRun run = replay_once(recorded, options, seed);
    mean.best_of_8 += run.best_so_far[std::min<size_t>(7, run.best_so_far.size() - 1)] / recorded.best() / kSeeds;
    mean.to_5 += static_cast<double>(run.to_5.value_or(60)) / kSeeds;
  }
  return mean;
}

TEST(GpuHabits, TheSearchBeginsBetterWhereTheyHoldAndRecoversWhereTheyDoNot) {
  const std::vector<std::pair<std::string, int>> telling{{"block_size_x", 9}, {"block_size_y", 5}, {"p", 5}, {"q", 7}};
  const std::vector<std::pair<std::string, int>> silent{{"a", 9}, {"b", 5}, {"p", 5}, {"q", 7}};
  const Searched with = search(telling, 256), without = search(silent, 256);
  EXPECT_LT(with.best_of_8, without.best_of_8);
  EXPECT_LT(with.to_5, without.to_5);
  // Blocks of eight threads are best: seven evaluations more at most.
  const Searched misled = search(telling, 8), not_misled = search(silent, 8);
  EXPECT_LT(misled.to_5, not_misled.to_5 + 7);
}

}  // namespace
}  // namespace assay::tune
