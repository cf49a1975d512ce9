// SPDX-License-Identifier: MIT
#include "suite/row.hpp"

#include <gtest/gtest.h>

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
