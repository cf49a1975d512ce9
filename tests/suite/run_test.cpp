// SPDX-License-Identifier: MIT
// A suite that is killed and goes on, with a runner that measures nothing.
#include "suite/run.hpp"

#include <gtest/gtest.h>

#include "suite_files.hpp"

namespace assay::suite {
namespace {

const std::string kSuite = R"([suite]
name = "s"
[[kernel]]
folder = "a"
baselines = ["sdpa"]
shapes = { N = [64, 128, 192] }
[[kernel]]
folder = "b"
shapes = [{ N = 64 }]
)";

// Answers from a script and stores like the real one.
class FakeRunner final : public Runner {
 public:
  explicit FakeRunner(ledger::Ledger* ledger) : ledger_(ledger) {}

  Result<void> prepare(const Group& group) override {
    prepared.push_back(group.kernel());
    if (group.kernel() == fails_to_build) return Error{"it does not compile", {}, "repair it", ExitCode::incorrect};
    return {};
  }

  Result<void> measure(const Group& group, const std::vector<const Item*>& items, const OnFinished& finished) override {
    for (const Item* item : items) {
      const std::string shape = item->shape.text();
      if (shape == stops_at) return Error{"lost", {}, {}, ExitCode::environment};
      if (measured.size() == killed_after) throw std::runtime_error("killed");
      measured.push_back(group.kernel() + " " + shape);
      const std::string document =
          case_document(shape, 10, group.baselines.empty() ? std::vector<FakeBaseline>() : std::vector<FakeBaseline>(1),
                        shape == rejected, shape == cannot_run ? "out of memory" : "");
      ASSAY_TRY(const auto attempt, store(document));
      ASSAY_TRY(Row row, row_from_document(group, *item, document));
      row.attempt = attempt;
      ASSAY_CHECK(finished(std::move(row)));
    }
    return {};
  }

  Result<std::optional<int64_t>> record_failure(const Group&, const Item&, const Error& error) override {
    return store("{\"error\": \"" + error.message + "\"}");
  }

  std::string fails_to_build;
  std::string stops_at;
  std::string rejected;
  std::string cannot_run;
  size_t killed_after = 1000;
  std::vector<std::string> prepared;
  std::vector<std::string> measured;

 private:
  Result<std::optional<int64_t>> store(const std::string& details) {
    if (ledger_ == nullptr) return std::optional<int64_t>();
    ledger::Attempt attempt;
    attempt.kind = ledger::Kind::measure;
    attempt.kernel = "k";
    attempt.details = details;
    ASSAY_TRY(const int64_t id, ledger_->append(attempt));
    return std::optional(id);
  }

  ledger::Ledger* ledger_;
};

class RunTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = files_.plan(kSuite);
    ASSERT_TRUE(made.ok()) << to_string(made.error());
    plan_ = std::move(*made);
    auto opened = ledger::Ledger::open(files_.folder().path() / "ledger.sqlite");
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    ledger_.emplace(std::move(*opened));
  }
  std::vector<Row> run_suite(FakeRunner& runner, bool restart = false, const std::string& key = "key") {
    RunOptions options;
    options.restart = restart;
    options.on_start = [&](size_t finished, size_t runnable) { finished_ = finished, runnable_ = runnable; };
    options.on_row = [&](const Row& row) { told_.push_back(row.label()); };
    told_.clear();
    auto rows = run(plan_, {&*ledger_, key}, runner, options);
    EXPECT_TRUE(rows.ok()) << to_string(rows.error());
    return rows.ok() ? std::move(*rows) : std::vector<Row>{};
  }

  SuiteFiles files_;
  Plan plan_;
  std::optional<ledger::Ledger> ledger_;
  size_t finished_ = 99;
  size_t runnable_ = 0;
  std::vector<std::string> told_;
};

TEST_F(RunTest, MeasuresEveryItemOnceAndThenNoMore) {
  FakeRunner runner(&*ledger_);
  const std::vector<Row> rows = run_suite(runner);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(finished_, 0u);
  EXPECT_EQ(runnable_, 4u);
  EXPECT_EQ(told_.size(), 4u);
  EXPECT_EQ(runner.prepared, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows[0].status, Status::measured);
  EXPECT_EQ(rows[0].p50_us, 10);
  EXPECT_FALSE(rows[0].resumed);
  EXPECT_DOUBLE_EQ(*rows[0].against.at(0).speedup, 2);
  FakeRunner again(&*ledger_);
  const std::vector<Row> same = run_suite(again);
  EXPECT_TRUE(again.prepared.empty());
  EXPECT_EQ(finished_, 4u);
  ASSERT_EQ(same.size(), 4u);
  EXPECT_TRUE(same[0].resumed);
  EXPECT_EQ(same[0].attempt, rows[0].attempt);
  EXPECT_DOUBLE_EQ(*same[0].against.at(0).speedup, 2);
  EXPECT_EQ(same[0].document, rows[0].document);
}

TEST_F(RunTest, GoesOnWhereItWasKilled) {
  FakeRunner killed(&*ledger_);
  killed.killed_after = 2;
  EXPECT_THROW(static_cast<void>(run(plan_, {&*ledger_, "key"}, killed)), std::runtime_error);
  FakeRunner next(&*ledger_);
  const std::vector<Row> rows = run_suite(next);
  EXPECT_EQ(finished_, 2u);
  ASSERT_EQ(next.measured.size(), 2u);
  EXPECT_EQ(next.measured[0], "a N=192,causal=false,dtype=f32");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[0].resumed && rows[1].resumed);
  EXPECT_FALSE(rows[2].resumed || rows[3].resumed);
}

TEST_F(RunTest, AnotherKeyAndRestartBeginAnew) {
  FakeRunner first(&*ledger_);
  run_suite(first);
  FakeRunner other(&*ledger_);
  run_suite(other, false, "another device");
  EXPECT_EQ(other.measured.size(), 4u);
  FakeRunner anew(&*ledger_);
  const std::vector<Row> rows = run_suite(anew, true);
  EXPECT_EQ(finished_, 0u);
  EXPECT_EQ(anew.measured.size(), 4u);
  EXPECT_FALSE(rows.at(0).resumed);
  FakeRunner after(&*ledger_);
  run_suite(after);
  EXPECT_TRUE(after.measured.empty());
}

TEST_F(RunTest, ARestartThatIsKilledForgetsWhatItHasNotReached) {
  FakeRunner first(&*ledger_);
  run_suite(first);
  FakeRunner killed(&*ledger_);
  killed.killed_after = 1;
  RunOptions restart;
  restart.restart = true;
  EXPECT_THROW(static_cast<void>(run(plan_, {&*ledger_, "key"}, killed, restart)), std::runtime_error);
  FakeRunner next(&*ledger_);
  run_suite(next);
  EXPECT_EQ(finished_, 1u);
  EXPECT_EQ(next.measured.size(), 3u);
}

TEST_F(RunTest, AChangedKernelIsMeasuredAgainAndTheOthersAreNot) {
  FakeRunner first(&*ledger_);
  run_suite(first);
  files_.folder().write("b/k.cu", "// better\n");
  plan_ = std::move(*files_.plan(kSuite));
  FakeRunner next(&*ledger_);
  run_suite(next);
  EXPECT_EQ(next.measured, (std::vector<std::string>{"b N=64,causal=false,dtype=f32"}));
}

TEST_F(RunTest, ABuildThatFailsIsARowOfEachOfItsItemsAndIsTriedAgain) {
  FakeRunner runner(&*ledger_);
  runner.fails_to_build = "a";
  const std::vector<Row> rows = run_suite(runner);
  ASSERT_EQ(rows.size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i].status, Status::failed);
    EXPECT_EQ(rows[i].reason, "it does not compile");
    EXPECT_EQ(rows[i].hint, "repair it");
    EXPECT_EQ(rows[i].exit_code, ExitCode::incorrect);
    EXPECT_EQ(rows[i].against.at(0).objection, "not measured");
  }
  EXPECT_EQ(rows[3].status, Status::measured);
  FakeRunner repaired(&*ledger_);
  const std::vector<Row> better = run_suite(repaired);
  EXPECT_EQ(repaired.measured.size(), 3u);
  EXPECT_EQ(better.at(0).status, Status::measured);
}

TEST_F(RunTest, AnItemThatStopsTheMeasurementCostsOnlyItself) {
  FakeRunner runner(&*ledger_);
  runner.stops_at = "N=128,causal=false,dtype=f32";
  const std::vector<Row> rows = run_suite(runner);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].status, Status::measured);
  EXPECT_EQ(rows[1].status, Status::failed);
  EXPECT_EQ(rows[1].exit_code, ExitCode::environment);
  EXPECT_EQ(rows[2].status, Status::measured);
  EXPECT_EQ(rows[3].status, Status::measured);
}

TEST_F(RunTest, ARejectedKernelIsAVerdictAndOneThatCannotRunIsTriedAgain) {
  FakeRunner runner(&*ledger_);
  runner.rejected = "N=64,causal=false,dtype=f32";
  runner.cannot_run = "N=192,causal=false,dtype=f32";
  const std::vector<Row> rows = run_suite(runner);
  EXPECT_EQ(rows.at(0).status, Status::rejected);
  EXPECT_EQ(rows.at(0).reason, "fingerprint: outputs differ");
  EXPECT_EQ(rows.at(0).exit_code, ExitCode::incorrect);
  EXPECT_EQ(rows.at(2).status, Status::failed);
  EXPECT_EQ(rows.at(2).reason, "out of memory");
  FakeRunner next(&*ledger_);
  const std::vector<Row> again = run_suite(next);
  EXPECT_EQ(next.measured, (std::vector<std::string>{"a N=192,causal=false,dtype=f32"}));
  EXPECT_EQ(again.at(0).status, Status::rejected);
}

TEST_F(RunTest, WhatTheLedgerHasLostIsMeasuredAgain) {
  FakeRunner first(&*ledger_);
  run_suite(first);
  ledger::Attempt strange;
  strange.kind = ledger::Kind::measure;
  strange.details = case_document("N=1", 3, {});  // of another case
  const auto id = ledger_->append(strange);
  ASSERT_TRUE(id.ok());
  ASSERT_TRUE(ledger_->set_work_item("key", {plan_.groups[0].items[1].key, *id, true}).ok());
  FakeRunner next(&*ledger_);
  run_suite(next);
  EXPECT_EQ(next.measured, (std::vector<std::string>{"a N=128,causal=false,dtype=f32"}));
}

TEST_F(RunTest, WithoutALedgerEverythingIsMeasured) {
  for (int i = 0; i < 2; ++i) {
    FakeRunner runner(nullptr);
    const auto rows = run(plan_, {}, runner);
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(runner.measured.size(), 4u);
    EXPECT_FALSE(rows->at(0).attempt.has_value());
  }
}

TEST_F(RunTest, SkippedItemsAreRowsThatNobodyMeasures) {
  auto made = files_.plan("[suite]\nname = \"s\"\n[[kernel]]\nfolder = \"a\"\nshapes = [{ N = 64 }, { N = 1001 }]\n");
  ASSERT_TRUE(made.ok());
  plan_ = std::move(*made);
  FakeRunner runner(&*ledger_);
  const std::vector<Row> rows = run_suite(runner);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].status, Status::skipped);
  EXPECT_EQ(rows[1].exit_code, ExitCode::good);
  EXPECT_EQ(runner.measured.size(), 1u);
}

}  // namespace
}  // namespace assay::suite
