// SPDX-License-Identifier: MIT
#include "tune/fitted_formula.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::tune {
namespace {

// Configurations between two pipes: the more floats, the fewer integers.
std::vector<Demand> between_two_pipes() {
  std::vector<Demand> list;
  for (int i = 0; i < 40; ++i) {
    Demand demand;
    demand.log_cycles.fill(kNoWork);
    demand.log_cycles[1] = static_cast<float>(-1 + 0.05 * i);
    demand.log_cycles[3] = static_cast<float>(1 - 0.05 * i);
    demand.warps = 4;
    list.push_back(demand);
  }
  return list;
}

size_t predicted_best(const FittedFormula& formula) {
  size_t best = 0;
  for (size_t i = 1; i < formula.size(); ++i) {
    if (formula.log_time(i) < formula.log_time(best)) best = i;
  }
  return best;
}

TEST(FittedFormula, BeginsWithTheFixedOnesOrder) {
  const FittedFormula formula({between_two_pipes()});
  EXPECT_NEAR(static_cast<double>(predicted_best(formula)), 20, 1);
}

TEST(FittedFormula, LearnsThatAPipeIsSlower) {
  // Integers take 1.6 times as long as the formula thinks: the best has fewer of them.
  const std::vector<Demand> list = between_two_pipes();
  FittedFormula formula({list});
  std::vector<FittedFormula::Measured> measured;
  double best = 1e300;
  for (const size_t i : {5, 12, 18, 22, 28, 35}) {
    measured.push_back({i, 7 + std::max(double{list[i].log_cycles[1]}, list[i].log_cycles[3] + std::log(1.6))});
    best = std::min(best, measured.back().log_time);
  }
  formula.fit(measured, best);
  EXPECT_NEAR(static_cast<double>(predicted_best(formula)), 24.7, 1.5);
}

TEST(FittedFormula, OneMeasurementChangesNothing) {
  FittedFormula formula({between_two_pipes()});
  const double before = formula.log_time(7) - formula.log_time(30);
  formula.fit(std::vector<FittedFormula::Measured>{{7, 3.0}}, 3.0);
  EXPECT_DOUBLE_EQ(formula.log_time(7) - formula.log_time(30), before);
}

TEST(FittedFormula, WhatWasNotCountedIsNotKnown) {
  std::vector<Demand> list = between_two_pipes();
  list[3].log_cycles.fill(kNoWork);
  FittedFormula formula({list});
  EXPECT_TRUE(std::isnan(formula.log_time(3)));
  formula.fit(std::vector<FittedFormula::Measured>{{3, 1.0}, {4, 2.0}, {5, 1.5}}, 1.0);
  EXPECT_TRUE(std::isfinite(formula.log_time(4)));
}

}  // namespace
}  // namespace assay::tune
