// SPDX-License-Identifier: MIT
// Exit codes, JSON and help of the commands.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

TEST(Commands, EveryCommandHasHelpThatNamesItsOptions) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands = {
      {"doctor", {"--json"}},
      {"build", {"--config", "--target", "--jobs", "--time-limit", "--carry", "--json"}},
      {"sanitize", {"--device", "--config", "--shape", "--seed", "--time-limit", "--instruction-limit", "--json"}},
      {"check",
       {"--device", "--config", "--shape", "--distribution", "--fuzz", "--no-memory-check", "--seed", "--time-limit",
        "--instruction-limit", "--json"}},
      {"run",
       {"--device", "--config", "--fuzz", "--report", "--seed", "--time-limit", "--instruction-limit", "--json"}},
  };
  for (const auto& [command, options] : commands) {
    const ProcessOutcome outcome = assay_program({command, "--help"});
    EXPECT_EQ(outcome.exit_status, 0);
    for (const std::string& option : options)
      EXPECT_NE(outcome.output.find("  " + option), std::string::npos) << command << " " << option;
    EXPECT_EQ(outcome.output, *read_file(ASSAY_SOURCE_DIR "/docs/cli/" + command + ".md"));
  }
  EXPECT_NE(assay_program({"--help"}).output.find("exit codes"), std::string::npos);
}

TEST(Commands, MistakesOfUsageExitWithTwo) {
  EXPECT_EQ(assay_program({"frobnicate"}).exit_status, 2);
  EXPECT_EQ(assay_program({"check"}).exit_status, 2);
  EXPECT_EQ(assay_program({"check", "no/such/folder"}).exit_status, 2);
  EXPECT_EQ(assay_program({"check", "kernels/reduction", "--device", "vgpu:nosuch"}).exit_status, 2);
  EXPECT_EQ(assay_program({"check", "kernels/reduction", "--shape", "ROWS=zero"}).exit_status, 2);
  EXPECT_EQ(assay_program({"check", "kernels/reduction", "--no-such-option"}).exit_status, 2);
  EXPECT_EQ(assay_program({}).exit_status, 2);
}

TEST(Commands, AnErrorIsAlsoOneJsonDocument) {
  const ProcessOutcome outcome = assay_program({"check", "no/such/folder", "--json"});
  EXPECT_EQ(outcome.exit_status, 2);
  const json document = parsed(outcome);
  EXPECT_EQ(document["verdict"], "error");
  EXPECT_EQ(document["exit_code"], 2);
}

TEST(Commands, DoctorTellsWhatIsMissing) {
  const ProcessOutcome outcome = assay_program({"doctor", "--json"});
  EXPECT_EQ(outcome.exit_status, 0);
  bool nvcc_is_missing = false;
  const json document = parsed(outcome);
  for (const json& fact : document["facts"]) {
    if (fact["name"] == "nvcc")
      nvcc_is_missing = fact["status"] == "missing" && !fact["hint"].get<std::string>().empty();
  }
  EXPECT_TRUE(nvcc_is_missing) << outcome.output;
}

TEST(Commands, BuildWithoutCompilerSaysWhatWasSkippedAndWhy) {
  const ProcessOutcome outcome = assay_program({"build", "kernels/reduction", "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_GT(document["counts"]["carried"].get<int>(), 0);
  EXPECT_GT(document["counts"]["skipped"].get<int>(), 0);
  EXPECT_FALSE(document["skipped"]["hint"].get<std::string>().empty());
  EXPECT_FALSE(document["fits"].empty());
}

TEST(Commands, ACorrectKernelIsCleanAndCorrect) {
  EXPECT_EQ(assay_program({"sanitize", "kernels/softmax"}).exit_status, 0);
  const ProcessOutcome outcome =
      assay_program({"check", "kernels/softmax", "--shape", "ROWS=3,COLUMNS=129,dtype=f16", "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["verdict"], "correct");
  EXPECT_EQ(document["ran"], 1);
}

TEST(Commands, RunGoesThroughAllStepsAndWritesTheReport) {
  const std::filesystem::path file = std::filesystem::path(ASSAY_BINARY_DIR) / "run-test-report.json";
  std::filesystem::remove(file);
  const ProcessOutcome outcome =
      assay_program({"run", "kernels/reduction", "--fuzz", "2", "--report", file.string(), "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["verdict"], "good");
  std::vector<std::string> steps;
  for (const json& step : document["steps"]) steps.push_back(step["name"]);
  EXPECT_EQ(steps, (std::vector<std::string>{"doctor", "build", "sanitize", "check"}));
  const auto written = read_file(file);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(json::parse(*written), document);
}

TEST(Commands, RunStopsAtTheFirstFailure) {
  const std::filesystem::path file = std::filesystem::path(ASSAY_BINARY_DIR) / "run-failure-report.json";
  const ProcessOutcome outcome =
      assay_program({"run", "kernels/broken/out_of_bounds_read", "--report", file.string(), "--json"});
  EXPECT_EQ(outcome.exit_status, 5);
  const json document = parsed(outcome);
  EXPECT_EQ(document["verdict"], "failed");
  EXPECT_EQ(document["steps"].back()["verdict"], "skipped");
}

TEST(Commands, TheCommandThatRepeatsAFailureRepeatsIt) {
  const ProcessOutcome first = assay_program({"check", "kernels/broken/nan_on_masked_row"});
  const size_t at = first.output.find("repeat: assay ");
  ASSERT_NE(at, std::string::npos) << first.output;
  std::istringstream words(first.output.substr(at + 14, first.output.find('\n', at) - at - 14));
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  arguments.push_back("--json");
  const ProcessOutcome second = assay_program(arguments);
  EXPECT_EQ(second.exit_status, 5) << second.output << second.errors;
  EXPECT_EQ(parsed(second)["failure"]["outcome"], "nan");
}

}  // namespace
}  // namespace assay::cli
