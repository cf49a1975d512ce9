// SPDX-License-Identifier: MIT
#include "measure/rules.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace assay::measure {
namespace {

TEST(Rules, AFixedNumberOfSamplesIsWhatItSays) {
  const Rules& rules = *find_rules("kernelbench");
  EXPECT_FALSE(has_enough(rules, std::vector<double>(99, 10.0), 1000, 0));
  EXPECT_TRUE(has_enough(rules, std::vector<double>(100, 10.0), 0, 0));
  EXPECT_EQ(find_rules("nobody"), nullptr);
}

TEST(Rules, GpuModeStopsWhenTheErrorIsSmall) {
  const Rules& rules = *find_rules("gpumode");
  EXPECT_FALSE(has_enough(rules, {10.0, 10.0}, 0, 0));
  EXPECT_TRUE(has_enough(rules, {10.0, 10.0, 10.0}, 0, 0));
  EXPECT_FALSE(has_enough(rules, {10.0, 12.0, 14.0}, 0, 0));
  EXPECT_TRUE(has_enough(rules, {10.0, 12.0, 14.0}, 121, 0)) << "two minutes are over";
}

TEST(Rules, NvbenchWantsHalfASecondAndASmallOrSteadySpread) {
  const Rules& rules = *find_rules("nvbench");
  EXPECT_FALSE(has_enough(rules, std::vector<double>(20, 10.0), 0, 0)) << "0.2 ms of calls";
  EXPECT_TRUE(has_enough(rules, std::vector<double>(20, 30000.0), 0, 0));
  std::vector<double> noisy;
  for (int i = 0; i < 40; ++i) noisy.push_back(i % 2 == 0 ? 20000.0 : 30000.0);
  EXPECT_FALSE(has_enough(rules, noisy, 0, 0));
  for (int i = 0; i < 200; ++i) noisy.push_back(i % 2 == 0 ? 20000.0 : 30000.0);
  EXPECT_TRUE(has_enough(rules, noisy, 0, 0)) << "as noisy as ever";
  EXPECT_TRUE(has_enough(rules, std::vector<double>(10, 1.0), 16, 0)) << "time is up";
}

TEST(Rules, TritonCountsOnTime) {
  const Rules& rules = *find_rules("triton");
  EXPECT_FALSE(has_enough(rules, std::vector<double>(10, 10.0), 0, 12));
  EXPECT_TRUE(has_enough(rules, std::vector<double>(12, 10.0), 0, 12));
}

TEST(Rules, FiguresAreReportedAsTheyAreThere) {
  EXPECT_DOUBLE_EQ(reported(*find_rules("kernelbench"), {12.3456, 12.3456}), 12.3);
  EXPECT_DOUBLE_EQ(reported(*find_rules("triton"), {1.0, 2.0, 6.0}), 3.0);
  EXPECT_EQ(reported(*find_rules("triton"), {}), 0);
}

TEST(Rules, TolerancesAreThoseOfThePrecision) {
  const Rules& rules = *find_rules("kernelbench");
  EXPECT_EQ(rules.tolerance_for(spec::DType::f32).atol, 1e-4);
  EXPECT_EQ(rules.tolerance_for(spec::DType::f16).rtol, 1e-2);
  EXPECT_FALSE(find_rules("nvbench")->compares());
}

TEST(Rules, TheDocumentSaysWhatTheTableSays) {
  const std::string page = *read_file(ASSAY_SOURCE_DIR "/docs/cross.md");
  for (const Rules& rules : all_rules()) {
    const std::string first = "| `" + std::string(rules.name) + "` | " + std::string(rules.of) + " | " +
                              std::string(rules.warm_up) + " | " + std::string(rules.flush) + " | " +
                              std::string(rules.samples) + " | " + std::string(rules.statistic) + " |";
    EXPECT_NE(page.find(first), std::string::npos) << first;
    const std::string second = "| `" + std::string(rules.name) + "` | " + std::string(rules.tolerance) + " | " +
                               std::string(rules.differs) + (rules.differs.empty() ? "|" : " |");
    EXPECT_NE(page.find(second), std::string::npos) << second;
  }
}

}  // namespace
}  // namespace assay::measure
