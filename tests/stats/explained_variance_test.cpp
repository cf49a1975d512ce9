// SPDX-License-Identifier: MIT
#include "stats/explained_variance.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"

namespace assay::stats {
namespace {

using Values = std::vector<double>;
using Groups = std::vector<size_t>;

TEST(ExplainedVariance, is_all_where_the_group_decides) {
  EXPECT_DOUBLE_EQ(explained_variance(Values{1, 1, 2, 2, 5, 5}, Groups{0, 0, 1, 1, 2, 2}).value(), 1);
  EXPECT_DOUBLE_EQ(explained_variance(Values{1, 2, 1, 2}, Groups{0, 0, 1, 1}).value(), 0);
}

// By hand: within 0.25 * 4 over 2 degrees of freedom, in all 4 * 0.25 + 4 * 4 = 17 over 3.
TEST(ExplainedVariance, is_corrected_for_the_number_of_groups) {
  EXPECT_NEAR(explained_variance(Values{0, 1, 4, 5}, Groups{7, 7, 3, 3}).value(), 1 - (1.0 / 2) / (17.0 / 3), 1e-12);
}

TEST(ExplainedVariance, is_little_for_many_groups_of_chance) {
  constexpr uint64_t kSeed = 5;
  Random random(kSeed);
  double sum = 0;
  for (int round = 0; round < 200; ++round) {
    Values values;
    Groups groups;
    for (size_t i = 0; i < 60; ++i) {
      values.push_back(random.uniform());
      groups.push_back(i % 30);
    }
    sum += explained_variance(values, groups).value();
  }
  EXPECT_LT(sum / 200, 0.12) << "uncorrected it is 0.49";
}

TEST(ExplainedVariance, is_empty_where_there_is_nothing_to_say) {
  EXPECT_FALSE(explained_variance(Values{3, 3, 3}, Groups{0, 1, 1})) << "all are the same";
  EXPECT_FALSE(explained_variance(Values{1, 2, 3}, Groups{0, 1, 2})) << "no group has two";
  EXPECT_FALSE(explained_variance(Values{1}, Groups{0}));
  EXPECT_FALSE(explained_variance(Values{}, Groups{}));
}

}  // namespace
}  // namespace assay::stats
