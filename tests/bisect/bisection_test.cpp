// SPDX-License-Identifier: MIT
#include "bisect/bisection.hpp"

#include <gtest/gtest.h>
#include <set>

#include "base/random.hpp"

namespace assay::bisect {
namespace {

// Looks until the search is over; how many commits that took.
size_t search(Bisection& bisection, size_t first_bad, const std::set<size_t>& broken) {
  size_t steps = 0;
  while (const auto next = bisection.next()) {
    bisection.mark(*next, broken.contains(*next) ? Mark::skipped : *next >= first_bad ? Mark::bad : Mark::good);
    ++steps;
  }
  return steps;
}

TEST(Bisection, finds_every_commit_in_logarithmic_time) {
  for (const size_t count : {2u, 3u, 4u, 7u, 64u, 1000u}) {
    for (size_t bad = 1; bad < count; bad += count > 100 ? 37 : 1) {
      Bisection bisection(count);
      const size_t steps = search(bisection, bad, {});
      EXPECT_EQ(bisection.suspects(), std::vector<size_t>{bad}) << count;
      EXPECT_LE(steps, static_cast<size_t>(std::bit_width(count)));
    }
  }
}

TEST(Bisection, commits_that_cannot_be_judged_stay_suspects) {
  Bisection bisection(10);
  search(bisection, 6, {4, 5});
  EXPECT_EQ(bisection.suspects(), (std::vector<size_t>{4, 5, 6}));
  Bisection elsewhere(10);
  search(elsewhere, 6, {2, 8});
  EXPECT_EQ(elsewhere.suspects(), std::vector<size_t>{6});
}

TEST(Bisection, the_truth_is_always_among_the_suspects) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const size_t count = 2 + random.below(60), bad = 1 + random.below(count - 1);
    std::set<size_t> broken;
    for (size_t k = 1; k + 1 < count; ++k) {
      if (random.below(3) == 0) broken.insert(k);
    }
    Bisection bisection(count);
    search(bisection, bad, broken);
    const std::vector<size_t> suspects = bisection.suspects();
    EXPECT_TRUE(std::find(suspects.begin(), suspects.end(), bad) != suspects.end());
    for (const size_t each : suspects) EXPECT_TRUE(broken.contains(each) || each == suspects.back());
  }
}

}  // namespace
}  // namespace assay::bisect
