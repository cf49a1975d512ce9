// SPDX-License-Identifier: MIT
#include "tune/forest.hpp"

#include <gtest/gtest.h>

#include "small_space.hpp"

namespace assay::tune {
namespace {

TEST(SuccessForest, IsCertainAsLongAsNothingFailed) {
  const Space space = small_space();
  const Features features = describe(space);
  SuccessForest forest(features, 1);
  forest.learn(std::vector<size_t>{1, 2, 3}, {true, true, true});
  EXPECT_FALSE(forest.anything_failed());
  EXPECT_EQ(forest.probability(60), 1);
}

TEST(SuccessForest, LearnsWhereConfigurationsFail) {
  const Space space = small_space();
  const Features features = describe(space);
  std::vector<size_t> points;
  std::vector<bool> succeeded;
  for (size_t i = 0; i < space.size(); i += 2) {
    points.push_back(i);
    succeeded.push_back(*space.value(i, 0).number * *space.value(i, 1).number <= 512);
  }
  SuccessForest forest(features, 1);
  forest.learn(points, succeeded);
  double right = 0;
  for (size_t i = 1; i < space.size(); i += 2)
    right += (forest.probability(i) > 0.5) == (*space.value(i, 0).number * *space.value(i, 1).number <= 512) ? 1 : 0;
  EXPECT_GE(right, 27);  // of 32 that it has not seen
}

}  // namespace
}  // namespace assay::tune
