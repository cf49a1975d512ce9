// SPDX-License-Identifier: MIT
#include "work/tune_answer.hpp"

#include <gtest/gtest.h>

namespace assay::work {
namespace {

TunedConfiguration evaluated(const std::string& name, double value, int registers, int64_t shared = 0) {
  TunedConfiguration made;
  made.configuration = name;
  made.value = value;
  made.registers = registers;
  made.shared_bytes = shared;
  made.by_shape = {value};
  return made;
}

// The answer is the one with the fewest registers, so the bound is what that one may lose.
TEST(TuneAnswer, TheBoundIsThatOfTheAnswer) {
  TuneReport report;
  report.evaluated = {evaluated("A=1", 1.0, 64), evaluated("A=2", 1.001, 32, 512), evaluated("A=3", 1.0015, 32, 256)};
  report.tie_group = {"A=1", "A=2", "A=3"};
  report.regret_bounds = {{"A=1", 0.0}, {"A=2", 0.001}, {"A=3", 0.0015}};
  choose_answer(report);
  EXPECT_EQ(report.answer, "A=3");
  EXPECT_NE(report.criterion.find("fewest registers"), std::string::npos);
  EXPECT_EQ(report.regret_bound, 0.0015);
}

TEST(TuneAnswer, WithoutARaceThereIsNoBound) {
  TuneReport report;
  report.evaluated = {evaluated("A=1", 1.0, 64), evaluated("A=2", 1.001, 32)};
  choose_answer(report);
  EXPECT_EQ(report.answer, "A=1");
  EXPECT_FALSE(report.regret_bound.has_value());
}

}  // namespace
}  // namespace assay::work
