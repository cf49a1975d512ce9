// SPDX-License-Identifier: MIT
#include "suite/row.hpp"

#include <gtest/gtest.h>

#include "report/bench_report.hpp"
#include "suite_files.hpp"

namespace assay::suite {
namespace {

class RowTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = files_.plan("[suite]\nname = \"s\"\n[[kernel]]\nfolder = \"a\"\nshapes = [{ N = 64 }]\n");
    ASSERT_TRUE(made.ok());
    plan_ = std::move(*made);
  }
  const Group& group() const { return plan_.groups[0]; }
  const Item& item() const { return plan_.groups[0].items[0]; }
  Result<Row> read(const std::string& document) const { return row_from_document(group(), item(), document); }
  std::string shape() const { return item().shape.text(); }

  SuiteFiles files_;
  Plan plan_;
};

TEST_F(RowTest, SpeedupIsTheInverseOfTheRatioAndItsIntervalTurnsRound) {
  const auto row = read(case_document(shape(), 10, {FakeBaseline{"x", 0.8, 0.001, judge::Verdict::faster, true}}));
  ASSERT_TRUE(row.ok()) << to_string(row.error());
  const Against& against = row->against.at(0);
  EXPECT_DOUBLE_EQ(*against.speedup, 1.25);
  EXPECT_DOUBLE_EQ(against.interval.low, 1 / (0.8 * 1.02));
  EXPECT_DOUBLE_EQ(against.interval.high, 1 / (0.8 * 0.98));
  EXPECT_LT(against.interval.low, *against.speedup);
  EXPECT_EQ(against.p, 0.001);
  EXPECT_EQ(against.alpha, 0.005);
  EXPECT_TRUE(against.comparable());
  EXPECT_EQ(row->label(), "a BLOCK=64 " + shape());
}

TEST_F(RowTest, TheFastestBaselineIsOneThatMayBeComparedWith) {
  const auto row = read(case_document(shape(), 10,
                                      {FakeBaseline{"slow", 0.5, 0.001, judge::Verdict::faster, true},
                                       FakeBaseline{"quick", 0.9, 0.001, judge::Verdict::faster, true},
                                       FakeBaseline{"liar", 5, 0.001, judge::Verdict::slower, false}}));
  ASSERT_TRUE(row.ok());
  ASSERT_NE(row->fastest_baseline(), nullptr);
  EXPECT_EQ(row->fastest_baseline()->baseline, "quick");
  EXPECT_EQ(row->against[2].objection, "it lies");
  EXPECT_EQ(read(case_document(shape(), 10, {}))->fastest_baseline(), nullptr);
}

TEST_F(RowTest, AZeroRatioIsNoSpeedupAndNoCrash) {
  const auto row = read(case_document(shape(), 10, {FakeBaseline{"x", 0, 0.001, judge::Verdict::faster, true}}));
  ASSERT_TRUE(row.ok());
  EXPECT_FALSE(std::isfinite(*row->against[0].speedup));
}

// A fresh case and the same one out of the ledger are one row.
TEST_F(RowTest, AMeasuredCaseIsTheRowThatItsDocumentIs) {
  measure::JudgedCase judged;
  judged.measured.shape = shape();
  for (const char* name : {"candidate", "rival", "liar"}) {
    measure::ContenderResult contender;
    contender.name = name;
    contender.time_us = stats::Summary{.count = 100, .p50 = 10, .p90 = 11};
    judged.measured.contenders.push_back(contender);
  }
  judged.measured.contenders[2].guards.fail(measure::GuardKind::roofline, "too fast");
  judge::Comparison comparison;
  comparison.verdict = judge::Verdict::slower;
  comparison.ratio = 1.25;
  comparison.interval = {1.2, 1.3};
  comparison.p = 0.004;
  judged.comparisons = {std::nullopt, comparison, std::nullopt};
  const Row fresh = row_from_case(group(), item(), judged);
  const auto stored = read(report::bench_case_document(judged, false).dump());
  ASSERT_TRUE(stored.ok()) << to_string(stored.error());
  EXPECT_EQ(fresh.status, Status::measured);
  EXPECT_EQ(stored->status, fresh.status);
  EXPECT_EQ(stored->p50_us, fresh.p50_us);
  ASSERT_EQ(fresh.against.size(), 2u);
  ASSERT_EQ(stored->against.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(stored->against[i].baseline, fresh.against[i].baseline);
    EXPECT_EQ(stored->against[i].objection, fresh.against[i].objection);
    EXPECT_EQ(stored->against[i].speedup, fresh.against[i].speedup);
    EXPECT_EQ(stored->against[i].verdict, fresh.against[i].verdict);
    EXPECT_EQ(stored->against[i].p, fresh.against[i].p);
  }
  EXPECT_DOUBLE_EQ(*fresh.against[0].speedup, 0.8);
  EXPECT_FALSE(fresh.against[1].comparable());
  EXPECT_EQ(stored->document, fresh.document);
}

TEST_F(RowTest, RubbishIsRefused) {
  const std::string good = case_document(shape(), 10, {FakeBaseline{}});
  ASSERT_TRUE(read(good).ok());
  for (const std::string text : {"", "[]", "{}", "{\"contenders\": []}", "nonsense", "{\"contenders\": 3}"})
    EXPECT_FALSE(read(text).ok()) << text;
  EXPECT_FALSE(read(case_document("N=65", 10, {})).ok());
  nlohmann::json damaged = nlohmann::json::parse(good);
  damaged["contenders"][1]["comparison"]["ratio"] = "much";
  EXPECT_FALSE(read(damaged.dump()).ok());
  damaged = nlohmann::json::parse(good);
  damaged["contenders"][0]["good"] = 1;
  EXPECT_FALSE(read(damaged.dump()).ok());
  damaged = nlohmann::json::parse(good);
  damaged["contenders"][0]["guards"] = nullptr;
  damaged["contenders"][0]["good"] = false;
  EXPECT_FALSE(read(damaged.dump()).ok());
}

TEST_F(RowTest, AFailureKeepsItsPlaceAndHint) {
  const Row row = failed_row(group(), item(), Error{"no", Place{"k.cu", 3, 4}, "do this", ExitCode::environment});
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.reason, "k.cu:3:4: no");
  EXPECT_EQ(row.hint, "do this");
  EXPECT_EQ(row.exit_code, ExitCode::environment);
  EXPECT_EQ(failed_row(group(), item(), Error{"no"}).exit_code, ExitCode::incorrect);
}

}  // namespace
}  // namespace assay::suite
