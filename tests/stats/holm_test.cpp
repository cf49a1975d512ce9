// SPDX-License-Identifier: MIT
#include "stats/holm.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(Holm, agrees_with_the_formula) {
  const std::vector<double> adjusted = holm(golden::holm_p);
  ASSERT_EQ(adjusted.size(), golden::holm_adjusted.size());
  for (size_t i = 0; i < adjusted.size(); ++i) EXPECT_NEAR(adjusted[i], golden::holm_adjusted[i], 1e-15) << i;
}

TEST(Holm, leaves_one_alone_and_none_empty_and_never_exceeds_one) {
  EXPECT_EQ(holm(std::vector<double>{0.03}), std::vector<double>{0.03});
  EXPECT_TRUE(holm({}).empty());
  EXPECT_EQ(holm(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace assay::stats
