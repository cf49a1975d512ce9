// SPDX-License-Identifier: MIT
#include "evolve/acceptance.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

RaceShape shape(double ratio, bool drawn = false, const std::string& verdict = "") {
  RaceShape made;
  made.shape = drawn ? "N=3584" : "N=4096";
  made.drawn = drawn;
  made.time_us = 10 * ratio;
  made.incumbent_us = 10;
  made.ratio = ratio;
  made.verdict = verdict;
  return made;
}

bool accepted(const std::vector<RaceShape>& shapes, AcceptanceRule rule = {}) {
  return judge_race(rule, shapes).accepted;
}

TEST(Acceptance, ThreePercentOnTwoShapes) {
  EXPECT_TRUE(accepted({shape(0.9), shape(0.97), shape(1.005), shape(0.9, true)}));
  EXPECT_FALSE(accepted({shape(0.9), shape(0.98), shape(0.9, true)})) << "one shape alone";
  EXPECT_FALSE(accepted({shape(1), shape(1)}));
  EXPECT_TRUE(accepted({shape(0.9), shape(0.98)}, {0.03, 1, 0.01}));
}

TEST(Acceptance, NoneWorseThanTheMargin) {
  EXPECT_FALSE(accepted({shape(0.5), shape(0.5), shape(1.02)}));
  EXPECT_FALSE(accepted({shape(0.5), shape(0.5), shape(1.02, true)}));
  EXPECT_TRUE(accepted({shape(0.5), shape(0.5), shape(1.02)}, {0.03, 2, 0.03}));
}

TEST(Acceptance, TheGainMustBeThereOnShapesThatNobodyKnew) {
  EXPECT_FALSE(accepted({shape(0.8), shape(0.8), shape(0.99, true)}));
  EXPECT_TRUE(accepted({shape(0.8), shape(0.8), shape(0.9, true)}));
  EXPECT_NE(judge_race({}, {shape(0.8), shape(0.8), shape(1, true)}).text.find("known shapes alone"),
            std::string::npos);
}

TEST(Acceptance, WithOneShapeOfTheSpecificationDrawnOnesCount) {
  EXPECT_TRUE(accepted({shape(0.9), shape(0.9, true)}));
  EXPECT_TRUE(accepted({shape(0.9)})) << "there is no other";
  EXPECT_FALSE(accepted({shape(0.99), shape(0.9, true)}));
}

TEST(Acceptance, MeasuredTimesNeedTheJudge) {
  EXPECT_FALSE(accepted({shape(0.9, false, "FASTER"), shape(0.9, false, "INCONCLUSIVE")}));
  EXPECT_TRUE(accepted({shape(0.9, false, "FASTER"), shape(0.9, false, "FASTER"), shape(1.05, false, "INCONCLUSIVE")}));
  EXPECT_FALSE(accepted({shape(0.9, false, "FASTER"), shape(0.9, false, "FASTER"), shape(1.05, false, "SLOWER")}));
}

}  // namespace
}  // namespace assay::evolve
