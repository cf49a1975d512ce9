// SPDX-License-Identifier: MIT
#include "tune/gaussian_process.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "base/random.hpp"
#include "small_space.hpp"

namespace assay::tune {
namespace {

std::vector<size_t> everything(const Space& space) {
  std::vector<size_t> all(space.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

TEST(GaussianProcess, GoesThroughWhatWasObservedAndIsUnsureElsewhere) {
  const Space space = small_space();
  const Features features = describe(space);
  GaussianProcess process(features, everything(space));
  ProcessParameters parameters = process.parameters();
  parameters.log_noise = std::log(0.01);
  process.set_parameters(parameters);
  process.observe(0);
  process.observe(63);
  const auto prediction = process.predict(std::vector<double>{-1.0, 2.0});
  EXPECT_NEAR(prediction.mean[0], -1.0, 0.02);
  EXPECT_NEAR(prediction.mean[63], 2.0, 0.02);
  EXPECT_LT(prediction.deviation[0], 0.05);
  EXPECT_GT(prediction.deviation[28], 0.1);
}

TEST(GaussianProcess, ForgettingUndoesObserving) {
  const Space space = small_space();
  const Features features = describe(space);
  GaussianProcess process(features, everything(space));
  process.observe(3);
  const auto before = process.predict(std::vector<double>{1.0});
  process.observe(40);
  process.observe(50);
  process.forget_last(2);
  EXPECT_EQ(process.observed(), 1u);
  const auto after = process.predict(std::vector<double>{1.0});
  for (size_t i = 0; i < space.size(); ++i) {
    EXPECT_NEAR(before.mean[i], after.mean[i], 1e-4);
    EXPECT_NEAR(before.deviation[i], after.deviation[i], 1e-3);
  }
}

TEST(GaussianProcess, LearnsWhichParametersMatter) {
  const Space space = small_space();
  const Features features = describe(space);
  GaussianProcess process(features, everything(space));
  std::vector<size_t> points;
  std::vector<double> values;
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const size_t pick = random.below(space.size());
    points.push_back(pick);
    values.push_back(std::sin(*space.value(pick, 0).number / 40));  // BLOCK alone
  }
  process.fit(points, values, 60);
  const auto& lengths = process.parameters().log_inverse_lengths;
  for (size_t f = 0; f < features.list.size(); ++f) {
    if (features.list[f].name == "ITEMS" || features.list[f].name.starts_with("LAYOUT")) {
      EXPECT_LT(lengths[f], lengths[0]) << features.list[f].name;
    }
  }
  for (const size_t point : points) process.observe(point);
  const auto prediction = process.predict(values);
  double wrong = 0;
  for (size_t i = 0; i < space.size(); ++i)
    wrong += std::fabs(prediction.mean[i] - std::sin(*space.value(i, 0).number / 40));
  EXPECT_LT(wrong / static_cast<double>(space.size()), 0.1);
}

}  // namespace
}  // namespace assay::tune
