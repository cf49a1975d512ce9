// SPDX-License-Identifier: MIT
#include "suite/summary.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace assay::suite {
namespace {

Against against(const std::string& baseline, double speedup, double p50_us, double p = 1e-9,
                judge::Verdict verdict = judge::Verdict::faster) {
  Against result;
  result.baseline = baseline;
  result.speedup = speedup;
  result.interval = {speedup * 0.99, speedup * 1.01};
  result.p50_us = p50_us;
  result.p = p;
  result.verdict = verdict;
  result.alpha = 0.01;
  return result;
}

Row row(const std::string& kernel, const std::string& shape, std::vector<Against> list) {
  Row result;
  result.kernel = kernel;
  result.configuration = "default";
  result.shape = shape;
  result.status = Status::measured;
  result.p50_us = 10;
  result.against = std::move(list);
  return result;
}

const Mean* find(const Summary& summary, const std::string& subject, const std::string& baseline) {
  for (const Mean& mean : summary.means) {
    if (mean.subject == subject && mean.baseline == baseline) return &mean;
  }
  return nullptr;
}

TEST(GeometricMean, IsTheMeanOfLogarithms) {
  EXPECT_DOUBLE_EQ(*geometric_mean(std::vector{2.0, 8.0}), 4);
  EXPECT_DOUBLE_EQ(*geometric_mean(std::vector{0.5, 2.0}), 1);
  EXPECT_NEAR(*geometric_mean(std::vector<double>(1000, 1e300)), 1e300, 1e290);  // no overflow
  EXPECT_NEAR(*geometric_mean(std::vector{1.0, 2.0, 3.0}), 1.8171205928321397, 1e-15);
}

TEST(GeometricMean, RefusesWhatHasNone) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(geometric_mean({}).ok());
  for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_FALSE(geometric_mean(std::vector{2.0, bad}).ok()) << bad;
  }
}

TEST(Summary, MeansBestAndWorstForEachKernelAndInAll) {
  const std::vector<Row> rows{row("a", "1", {against("x", 2, 20)}), row("a", "2", {against("x", 8, 80)}),
                              row("b", "1", {against("x", 0.5, 5)})};
  const Summary summary = summarize(rows, 3);
  EXPECT_EQ(summary.measured, 3u);
  EXPECT_EQ(summary.comparisons, 3u);
  ASSERT_EQ(summary.means.size(), 3u);
  EXPECT_DOUBLE_EQ(*find(summary, "a", "x")->speedup, 4);
  EXPECT_DOUBLE_EQ(*find(summary, "b", "x")->speedup, 0.5);
  const Mean* all = find(summary, "", "x");
  EXPECT_DOUBLE_EQ(*all->speedup, 2);
  EXPECT_EQ(all->count, 3u);
  EXPECT_EQ(all->best->row, 1u);
  EXPECT_DOUBLE_EQ(all->best->speedup, 8);
  EXPECT_EQ(all->worst->row, 2u);
}

TEST(Summary, TheFastestBaselineOfEachRowWhereThereIsAChoice) {
  const std::vector<Row> rows{row("a", "1", {against("x", 2, 20), against("y", 4, 40)}),
                              row("a", "2", {against("x", 8, 80), against("y", 0.5, 5)})};
  const Summary summary = summarize(rows, 4);
  ASSERT_EQ(summary.means.size(), 3u);  // one kernel: "all" would say the same again
  EXPECT_DOUBLE_EQ(*find(summary, "a", "x")->speedup, 4);
  EXPECT_NEAR(*find(summary, "a", "y")->speedup, std::sqrt(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(*find(summary, "a", "")->speedup, 1);
}

TEST(Summary, WhatIsLeftOutIsCountedAndNamed) {
  Row rejected = row("a", "2", {against("x", 100, 1000)});
  rejected.status = Status::rejected;
  rejected.reason = "fingerprint: outputs differ";
  rejected.exit_code = ExitCode::incorrect;
  Row liar = row("a", "3", {against("x", 50, 500)});
  liar.against[0].objection = "it lies";
  Row zero = row("a", "4", {against("x", 0, 0)});
  Row negative = row("a", "5", {against("x", -2, 1)});
  Row endless = row("a", "6", {against("x", std::numeric_limits<double>::infinity(), 1)});
  Row untimed = row("a", "7", {against("x", 1, 1)});
  untimed.against[0].speedup.reset();
  Row skipped = row("a", "8", {against("x", 1, 1)});
  skipped.status = Status::skipped;
  const std::vector<Row> rows{
      row("a", "1", {against("x", 2, 20)}), rejected, liar, zero, negative, endless, untimed, skipped};
  const Summary summary = summarize(rows, 1);
  const Mean* mean = find(summary, "a", "x");
  ASSERT_NE(mean, nullptr);
  EXPECT_EQ(mean->count, 1u);
  EXPECT_DOUBLE_EQ(*mean->speedup, 2);
  EXPECT_EQ(mean->best->row, 0u);
  ASSERT_EQ(mean->left_out.size(), 6u);
  EXPECT_EQ(mean->left_out[0].row, 1u);
  EXPECT_EQ(mean->left_out[0].reason, "rejected: fingerprint: outputs differ");
  EXPECT_EQ(mean->left_out[1].reason, "x: it lies");
  EXPECT_NE(mean->left_out[2].reason.find("no positive number"), std::string::npos);
  EXPECT_NE(mean->left_out[3].reason.find("-2"), std::string::npos);
  EXPECT_NE(mean->left_out[4].reason.find("inf"), std::string::npos);
  EXPECT_EQ(mean->left_out[5].reason, "x: not compared");
  EXPECT_EQ(summary.rejected, 1u);
  EXPECT_EQ(summary.skipped, 1u);
  EXPECT_EQ(exit_code(rows), ExitCode::incorrect);
}

TEST(Summary, NothingToCompareHasNoMean) {
  Row failed = row("a", "1", {against("x", 2, 20)});
  failed.status = Status::failed;
  const Summary summary = summarize({failed}, 0);
  ASSERT_EQ(summary.means.size(), 1u);
  EXPECT_FALSE(summary.means[0].speedup.has_value());
  EXPECT_EQ(summary.means[0].left_out.size(), 1u);
  EXPECT_TRUE(summarize({row("a", "1", {})}, 0).means.empty());
  EXPECT_TRUE(summarize({}, 0).means.empty());
}

TEST(Summary, KernelsWithDifferentBaselinesAreNotMissedByOthers) {
  const std::vector<Row> rows{row("a", "1", {against("x", 2, 20)}), row("b", "1", {against("y", 3, 30)}),
                              row("c", "1", {})};
  const Summary summary = summarize(rows, 2);
  EXPECT_TRUE(find(summary, "", "x")->left_out.empty());
  EXPECT_TRUE(find(summary, "", "y")->left_out.empty());
  EXPECT_TRUE(find(summary, "", "")->left_out.empty());
  EXPECT_NEAR(*find(summary, "", "")->speedup, std::sqrt(6.0), 1e-15);
}

TEST(Summary, SeveralConfigurationsOfAKernelAreSubjectsOfTheirOwn) {
  std::vector<Row> rows{row("a", "1", {against("x", 2, 20)}), row("a", "1", {against("x", 3, 20)})};
  rows[1].configuration = "BLOCK=64";
  const Summary summary = summarize(rows, 2);
  EXPECT_NE(find(summary, "a default", "x"), nullptr);
  EXPECT_NE(find(summary, "a BLOCK=64", "x"), nullptr);
  EXPECT_NE(find(summary, "", "x"), nullptr);
}

TEST(Holm, AVerdictThatDoesNotSurviveTheNumberOfComparisonsIsInconclusive) {
  std::vector<Row> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(row("a", std::to_string(i), {against("x", 1.1, 11, 0.004)}));
  rows[0].against[0].p = 1e-6;
  rows[1].against[0].verdict = judge::Verdict::same;
  EXPECT_EQ(correct_for_many(rows), 10u);
  EXPECT_EQ(rows[0].against[0].verdict, judge::Verdict::faster);
  EXPECT_DOUBLE_EQ(rows[0].against[0].adjusted_p, 1e-5);
  EXPECT_EQ(rows[1].against[0].verdict, judge::Verdict::same);
  EXPECT_EQ(rows[2].against[0].verdict, judge::Verdict::inconclusive);
  EXPECT_NEAR(rows[2].against[0].adjusted_p, 0.036, 1e-12);
  EXPECT_NE(rows[2].against[0].reason.find("FASTER by itself"), std::string::npos);
}

TEST(Holm, OneComparisonStaysAsItIsAndRejectedOnesDoNotCount) {
  std::vector<Row> rows{row("a", "1", {against("x", 0.9, 9, 0.004, judge::Verdict::slower)})};
  for (int i = 0; i < 10; ++i) {
    rows.push_back(row("a", "2", {against("x", 1.1, 11, 0.004)}));
    rows.back().status = Status::rejected;
  }
  rows.push_back(row("a", "3", {against("x", 1.1, 11, 0.004)}));
  rows.back().against[0].objection = "it lies";
  EXPECT_EQ(correct_for_many(rows), 1u);
  EXPECT_EQ(rows[0].against[0].verdict, judge::Verdict::slower);
  std::vector<Row> none;
  EXPECT_EQ(correct_for_many(none), 0u);
}

TEST(ExitCodeOfASuite, IsTheWorstThatHappened) {
  std::vector<Row> rows{row("a", "1", {}), row("a", "2", {})};
  EXPECT_EQ(exit_code(rows), ExitCode::good);
  rows[0].exit_code = ExitCode::environment;
  EXPECT_EQ(exit_code(rows), ExitCode::environment);
  rows[1].exit_code = ExitCode::incorrect;
  EXPECT_EQ(exit_code(rows), ExitCode::incorrect);
}

}  // namespace
}  // namespace assay::suite
