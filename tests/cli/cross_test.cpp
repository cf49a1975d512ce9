// SPDX-License-Identifier: MIT
// assay cross and assay bench --rules, with a library in the driver's place that makes the times up.
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "ledger/ledger.hpp"
#include "reduction_copy.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

class Cross : public testing::Test {
 protected:
  std::string ledger() const { return (copy_.folder().path() / "ledger.sqlite").string(); }
  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", ledger()});
    Command command = assay_command(std::move(arguments));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    command.environment["FAKE_CUDA_WAITS"] = "1";
    return run_command(command);
  }
  std::vector<std::string> measured(const std::string& command, std::vector<std::string> more) const {
    std::vector<std::string> arguments{command,   copy_.kernel().string(), "--baseline",     "kernels/reduction",
                                       "--shape", "ROWS=2,COLUMNS=16",     "--most-samples", "100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  ReductionCopy copy_;
};

TEST_F(Cross, EveryBenchmarksRulesStandInOneTable) {
  copy_.change_ptx("sm_90", [](const std::string& text) { return text + "// SLOWER\n"; });
  const ProcessOutcome outcome = assay(measured("cross", {"--json", "--rules-budget", "0.5"}));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  const json& times = document["cases"].at(0)["times"];
  ASSERT_EQ(times.size(), 12u) << times.dump(2);  // six sets of rules, two contenders
  for (const json& time : times) {
    EXPECT_FALSE(time.contains("problem")) << time.dump();
    EXPECT_GT(time["us"].get<double>(), 5) << time.dump();
    if (time["contender"] == "kernels/reduction") {
      EXPECT_NEAR(time["speedup"].get<double>(), 1 / 1.1, 0.06) << time.dump();
    }
    if (time["rules"] == "kernelbench") {
      EXPECT_EQ(time["samples"], 100);
      EXPECT_TRUE(time["accepted"].get<bool>());
    }
    if (time["rules"] == "solexec") {
      EXPECT_EQ(time["samples"], 50);
    }
    if (time["rules"] == "nvbench") {
      EXPECT_FALSE(time.contains("accepted"));
      EXPECT_TRUE(time["cut_short"].get<bool>()) << "half a second of calls of 10 us takes longer";
    }
  }
  const json& verdict = document["cases"][0]["verdicts"].at(0);
  EXPECT_EQ(verdict["ours"], "SLOWER");
  EXPECT_FALSE(verdict["depends_on_timer"]) << verdict.dump();
  // Slower than the baseline: below a half.
  EXPECT_LT(document["cases"][0]["sol_score"].get<double>(), 0.5) << document["cases"][0].dump(2);
  // Each set of rules is an attempt of its own, under another contract.
  auto opened = ledger::Ledger::open(ledger(), ledger::Ledger::Mode::read);
  ASSERT_TRUE(opened.ok());
  const auto attempts = opened->attempts();
  ASSERT_TRUE(attempts.ok());
  ASSERT_EQ(attempts->size(), 6u);
  std::set<std::string> contracts;
  for (const ledger::Attempt& attempt : *attempts) contracts.insert(attempt.comparable);
  EXPECT_EQ(contracts.size(), 6u);
}

TEST_F(Cross, BenchTakesOneSetOfRules) {
  const ProcessOutcome outcome = assay(measured("bench", {"--rules", "triton"}));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("triton"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("all rules agree"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("kernelbench"), std::string::npos);
  EXPECT_EQ(assay(measured("bench", {"--rules", "triton", "--save", "x"})).exit_status, 2);
  EXPECT_EQ(assay(measured("bench", {"--rules", "mine"})).exit_status, 2);
}

TEST_F(Cross, WhatIsWrongIsTimedByNobodysRules) {
  const auto rename = [](const std::string& text) {
    std::string out = text;
    for (size_t at = 0; (at = out.find("row_sum_f32", at)) != std::string::npos;) out.replace(at, 11, "idle_f32");
    return out;
  };
  copy_.change_ptx("sm_90", rename);
  copy_.folder().write("reduction/kernel.toml", rename(*read_file(copy_.kernel() / "kernel.toml")));
  const ProcessOutcome outcome = assay(measured("cross", {"--json"}));
  EXPECT_EQ(outcome.exit_status, 5) << outcome.errors;
  EXPECT_EQ(parsed(outcome)["cases"].at(0)["times"].size(), 2u) << "ours alone";
}

TEST_F(Cross, WithoutAGpuThereIsNothingToTime) {
  const ProcessOutcome outcome = assay_program({"cross", "kernels/reduction", "--device", "vgpu:l4"});
  EXPECT_EQ(outcome.exit_status, 6) << outcome.output;
}

}  // namespace
}  // namespace assay::cli
