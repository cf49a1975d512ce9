// SPDX-License-Identifier: MIT
// The public API on this machine's virtual GPU, without the command line.
#include <assay/assay.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "../support/temporary_folder.hpp"
#include "ledger/ledger.hpp"

namespace assay::work {
namespace {

class Heard final : public Listener {
 public:
  void begin(const std::string& title, size_t) override { titles.push_back(title); }
  void advance(const std::string&) override {
    ++pieces;
    if (token != nullptr && pieces == stop_after) token->cancel();
  }
  void step(const std::string&) override {}
  void note(const std::string&) override {}
  void end() override {}
  void warn(const std::string& line) override { warnings.push_back(line); }

  std::vector<std::string> titles;
  std::vector<std::string> warnings;
  size_t pieces = 0;
  size_t stop_after = 0;
  CancellationToken* token = nullptr;
};

class Api : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("ASSAY_NVCC", "none", 1);
    ::setenv("ASSAY_CUDA_DRIVER", "none", 1);
    ::setenv("ASSAY_CACHE", ASSAY_BINARY_DIR "/test-cache", 1);
    context_.listener = &heard_;
    context_.program = ASSAY_BINARY_DIR "/assay";
    record_.ledger = (folder_.path() / "ledger.sqlite").string();
  }
  KernelChoice kernel(const std::string& name) const { return {ASSAY_SOURCE_DIR "/kernels/" + name, "", ""}; }

  TemporaryFolder folder_;
  Heard heard_;
  Context context_;
  RecordOptions record_;
};

TEST_F(Api, SanitizeGivesFindingsWithTheirPlace) {
  SanitizeRequest request;
  request.choice = kernel("broken/misaligned_rows");
  request.record = record_;
  const auto report = sanitize(request, context_);
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  EXPECT_FALSE(report->clean());
  EXPECT_EQ(report->exit_code, ExitCode::incorrect);
  ASSERT_EQ(report->findings.size(), 1u) << "one place of the program";
  const Finding& first = report->findings.front();
  EXPECT_EQ(first.kind, "misaligned");
  EXPECT_EQ(first.space, "shared");
  EXPECT_EQ(first.bytes, 16u);
  EXPECT_EQ(first.address, 0x82u);
  EXPECT_EQ(first.thread[0], 1u);
  EXPECT_GT(first.line, 0);
  EXPECT_EQ(nlohmann::json::parse(to_json(*report))["verdict"], "failed");
  EXPECT_EQ(heard_.titles, std::vector<std::string>{"sanitize"});
  EXPECT_EQ(heard_.pieces, report->shapes.size());
}

TEST_F(Api, CheckTellsEveryConfigurationAndIsRecorded) {
  CheckRequest request;
  request.choice = kernel("softmax");
  request.shape = "ROWS=3,COLUMNS=129,dtype=f16";
  request.record = record_;
  size_t told = 0;
  const auto report = check(request, context_, [&](const ConfigurationCheck&) { ++told; });
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  EXPECT_TRUE(report->correct());
  EXPECT_EQ(told, 1u);
  ASSERT_EQ(report->configurations.size(), 1u);
  ASSERT_EQ(report->configurations[0].cases.size(), 1u);
  EXPECT_EQ(report->configurations[0].cases[0].elements_compared, 3 * 129);
  LogRequest log_request;
  log_request.ledger = record_.ledger;
  const auto recorded = log(log_request);
  ASSERT_TRUE(recorded.ok()) << to_string(recorded.error());
  ASSERT_EQ(recorded->attempts.size(), 1u);
  EXPECT_EQ(recorded->attempts[0].kind, "check");
  EXPECT_EQ(recorded->attempts[0].verdict, "correct");
}

TEST_F(Api, WorkThatIsStoppedSaysSoAndLeavesNoVerdict) {
  CancellationToken token;
  heard_.token = &token;
  heard_.stop_after = 2;
  context_.cancellation = &token;
  CheckRequest request;
  request.choice = kernel("reduction");
  request.record = record_;
  const auto report = check(request, context_);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().exit_code, kInterrupted);
  EXPECT_EQ(heard_.pieces, 2u);
  LogRequest log_request;
  log_request.ledger = record_.ledger;
  const auto recorded = log(log_request);
  ASSERT_TRUE(recorded.ok());
  EXPECT_TRUE(recorded->attempts.empty());
}

TEST_F(Api, RunHoldsTheReportsOfItsSteps) {
  RunRequest request;
  request.choice = kernel("reduction");
  request.fuzz = 0;
  request.record = record_;
  std::vector<std::string> steps;
  const auto report =
      run(request, context_, [&](const RunReport&, const RunStep& step) { steps.push_back(step.name); });
  ASSERT_TRUE(report.ok()) << to_string(report.error());
  EXPECT_EQ(report->verdict, "good");
  EXPECT_EQ(steps, (std::vector<std::string>{"doctor", "build", "sanitize", "check"}));
  ASSERT_TRUE(report->build && report->sanitize && report->check);
  EXPECT_TRUE(report->sanitize->clean());
  EXPECT_TRUE(report->check->correct());
  EXPECT_FALSE(report->doctor.facts.empty());
}

TEST_F(Api, ALedgerThatCannotBeUsedIsAWarningUnlessItWasNamed) {
  ::setenv("ASSAY_LEDGER", "/proc/no/such/ledger.sqlite", 1);
  SanitizeRequest request;
  request.choice = kernel("softmax");
  request.shape = "ROWS=1,COLUMNS=7,dtype=f16";
  const auto report = sanitize(request, context_);
  ::unsetenv("ASSAY_LEDGER");
  EXPECT_TRUE(report.ok()) << to_string(report.error());
  ASSERT_EQ(heard_.warnings.size(), 1u);
  EXPECT_NE(heard_.warnings[0].find("not recorded"), std::string::npos);
  request.record.ledger = "/proc/no/such/ledger.sqlite";
  EXPECT_FALSE(sanitize(request, context_).ok());
}

TEST_F(Api, WhatCannotBeMeasuredHereIsAnErrorOfTheEnvironment) {
  BenchRequest request;
  request.choice = kernel("softmax");
  const auto report = bench(request, context_);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().exit_code, ExitCode::environment);
}

}  // namespace
}  // namespace assay::work
