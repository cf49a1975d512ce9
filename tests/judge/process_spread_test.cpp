// SPDX-License-Identifier: MIT
#include "judge/process_spread.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"

namespace assay::judge {
namespace {

TEST(ProcessSpread, is_a_part_and_a_constant) {
  const ProcessSpread spread{0.003, 0.06};
  EXPECT_NEAR(spread.of(2), std::hypot(0.003, 0.03), 1e-15);
  EXPECT_NEAR(spread.of(2000), 0.003, 1e-6);
}

TEST(ProcessSpread, finds_both_from_several_lengths) {
  const ProcessSpread truth{0.004, 0.05};
  std::vector<SpreadPoint> points;
  for (const double us : {5.0, 20.0, 200.0, 2000.0}) points.push_back({us, truth.of(us), 100});
  const ProcessSpread found = fit_spread(points);
  EXPECT_NEAR(found.part, truth.part, 1e-6);
  EXPECT_NEAR(found.constant_us, truth.constant_us, 1e-5);
}

// Estimated from 60 processes at each length, both come out within a third, and never below 0.
TEST(ProcessSpread, finds_both_from_what_processes_did) {
  constexpr uint64_t kSpreadSeed = 5;
  const ProcessSpread truth{0.004, 0.05};
  Random random(kSpreadSeed);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<SpreadPoint> points;
    for (const double us : {5.0, 20.0, 200.0}) {
      double squares = 0;
      for (int i = 0; i < 60; ++i) squares += std::pow(truth.of(us) * random.normal(), 2);
      points.push_back({us, std::sqrt(squares / 60), 60});
    }
    const ProcessSpread found = fit_spread(points);
    EXPECT_NEAR(found.part, truth.part, truth.part / 3) << "seed " << kSpreadSeed;
    EXPECT_NEAR(found.constant_us, truth.constant_us, truth.constant_us / 3) << "seed " << kSpreadSeed;
  }
}

// 10 us at 2 ms is half a per cent; it must not hide a doubling at 20 us.
TEST(ProcessSpread, of_one_length_is_a_part_of_the_time) {
  const ProcessSpread found = fit_spread(std::vector<SpreadPoint>{{2000, 0.005, 100}, {2100, 0.005, 100}});
  EXPECT_NEAR(found.part, 0.005, 1e-12);
  EXPECT_EQ(found.constant_us, 0);
  EXPECT_NEAR(found.of(20), 0.005, 1e-12);
}

TEST(ProcessSpread, has_neither_below_zero) {
  // Wider at the longer length than a constant and a part allow.
  const ProcessSpread found = fit_spread(std::vector<SpreadPoint>{{5, 0.001, 50}, {500, 0.004, 50}});
  EXPECT_EQ(found.constant_us, 0);
  EXPECT_GT(found.part, 0.0005);
  EXPECT_EQ(fit_spread({}), ProcessSpread());
}

}  // namespace
}  // namespace assay::judge
