// SPDX-License-Identifier: MIT
// What commands record, and what assay log makes of it.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/log_text.hpp"
#include "ledger/ledger.hpp"
#include "report/attempt_document.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

const std::string kShape = "ROWS=3,COLUMNS=129,dtype=f16";

class LogTest : public testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "ledger.sqlite").string(); }
  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", file()});
    return assay_program(std::move(arguments));
  }
  json log(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), "log");
    arguments.push_back("--json");
    return parsed(assay(std::move(arguments)));
  }
  // A measurement with a name that tries to take over the terminal and the spreadsheet.
  void append_measurement() const {
    auto ledger = ledger::Ledger::open(file());
    ASSERT_TRUE(ledger.ok());
    ledger::Attempt attempt;
    attempt.kind = ledger::Kind::measure;
    attempt.time_us = ledger::now_us() - int64_t{30} * 60 * 1'000'000;
    attempt.kernel = "evil\x1b[2J,\"quoted\"\nname";
    attempt.device = "cuda:0 NVIDIA H200";
    attempt.verdict = "good";
    attempt.correct = true;
    attempt.p50_us = 2.5;
    ledger::Samples samples;
    samples.contender = "candidate";
    samples.shape = "S=512";
    samples.times_us = {3, 2, 2.5};
    samples.clocks_mhz = {1980, 1980, 1965};
    samples.throttle = {0, 0, 4};
    ASSERT_TRUE(ledger->append(attempt, std::vector{samples}).ok());
  }

  TemporaryFolder folder_;
};

TEST_F(LogTest, every_command_records_what_it_did) {
  EXPECT_EQ(assay({"build", "kernels/softmax"}).exit_status, 0);
  EXPECT_EQ(assay({"sanitize", "kernels/softmax", "--shape", kShape, "--seed", "5"}).exit_status, 0);
  const ProcessOutcome check = assay({"check", "kernels/softmax", "--shape", kShape, "--seed", "7", "--device",
                                      "vgpu:a100", "--cost-per-hour", "3.6", "--json"});
  EXPECT_EQ(check.exit_status, 0) << check.errors;
  EXPECT_EQ(parsed(check)["attempt"], 3);
  const json attempts = log()["attempts"];
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[2]["kind"], "build");
  EXPECT_EQ(attempts[2]["verdict"], "good");
  EXPECT_EQ(attempts[1]["kind"], "sanitize");
  EXPECT_EQ(attempts[1]["verdict"], "clean");
  EXPECT_EQ(attempts[1]["seed"], 5);
  const json& last = attempts[0];
  EXPECT_EQ(last["id"], 3);
  EXPECT_EQ(last["kind"], "check");
  EXPECT_EQ(last["verdict"], "correct");
  EXPECT_EQ(last["correct"], true);
  EXPECT_EQ(last["exit_code"], 0);
  EXPECT_EQ(last["device"], "vgpu:a100");
  EXPECT_EQ(last["seed"], 7);
  EXPECT_EQ(last["kernel"], parsed(check)["kernel"]);
  EXPECT_EQ(last["configuration"], parsed(check)["configuration"]);
  EXPECT_GT(last["duration_s"].get<double>(), 0);
  EXPECT_NEAR(last["cost"].get<double>(), last["duration_s"].get<double>() / 1000, 1e-9);
  EXPECT_EQ(last["source_hash"].get<std::string>().size(), 32u);
  EXPECT_EQ(last["contract"]["device"], "vgpu:a100");
  EXPECT_EQ(last["contract"]["ptx_hash"].get<std::string>().size(), 32u);
  EXPECT_EQ(last["details"]["case_count"], 1);
}

TEST_F(LogTest, failures_are_recorded_as_well) {
  EXPECT_EQ(assay({"check", "kernels/broken/nan_on_masked_row"}).exit_status, 5);
  const json attempt = log()["attempts"].at(0);
  EXPECT_EQ(attempt["verdict"], "incorrect");
  EXPECT_EQ(attempt["correct"], false);
  EXPECT_EQ(attempt["exit_code"], 5);
  EXPECT_FALSE(attempt["shape"].get<std::string>().empty());
  EXPECT_TRUE(attempt["details"].contains("failure"));
}

TEST_F(LogTest, an_error_of_the_environment_is_an_attempt_but_a_mistake_of_usage_is_none) {
  const TemporaryFolder kernel;
  std::filesystem::copy(ASSAY_SOURCE_DIR "/kernels/softmax", kernel.path(), std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(kernel.path() / "ptx");  // and there is no compiler
  const ProcessOutcome outcome = assay({"check", kernel.path().string()});
  EXPECT_EQ(outcome.exit_status, 6) << outcome.output << outcome.errors;
  EXPECT_EQ(assay({"check", "kernels/softmax", "--shape", "ROWS=zero"}).exit_status, 2);
  const json attempts = log()["attempts"];
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0]["verdict"], "error");
  EXPECT_EQ(attempts[0]["exit_code"], 6);
  EXPECT_FALSE(attempts[0]["details"]["error"]["message"].get<std::string>().empty());
}

TEST_F(LogTest, run_records_each_step_and_itself) {
  const std::string report = (folder_.path() / "report.json").string();
  EXPECT_EQ(assay({"run", "kernels/reduction", "--fuzz", "1", "--report", report}).exit_status, 0);
  const json attempts = log()["attempts"];
  ASSERT_EQ(attempts.size(), 4u);
  EXPECT_EQ(attempts[3]["kind"], "build");
  EXPECT_EQ(attempts[2]["kind"], "sanitize");
  EXPECT_EQ(attempts[1]["kind"], "check");
  EXPECT_EQ(attempts[0]["kind"], "run");
  EXPECT_EQ(attempts[0]["verdict"], "good");
  EXPECT_EQ(attempts[0]["details"]["attempts"], (json{{"build", 1}, {"sanitize", 2}, {"check", 3}}));
  EXPECT_EQ(json::parse(*read_file(report))["attempt"], 4);
}

TEST_F(LogTest, none_records_nothing) {
  const ProcessOutcome outcome = assay_program({"build", "kernels/softmax", "--json", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_FALSE(parsed(outcome).contains("attempt"));
  EXPECT_EQ(assay_program({"log", "--ledger", "none"}).exit_status, 2);
}

TEST_F(LogTest, a_named_ledger_that_cannot_be_used_is_an_error_of_the_environment) {
  const std::string text = folder_.write("notes.txt", "my notes, not a ledger\n").string();
  for (const std::string& bad : {text, std::string("/proc/no-such-folder/ledger.sqlite")}) {
    const ProcessOutcome outcome = assay_program({"build", "kernels/softmax", "--ledger", bad});
    EXPECT_EQ(outcome.exit_status, 6) << bad;
    EXPECT_NE(outcome.errors.find("--ledger"), std::string::npos) << outcome.errors;
    EXPECT_EQ(assay_program({"log", "--ledger", bad}).exit_status, 6) << bad;
  }
  EXPECT_EQ(*read_file(text), "my notes, not a ledger\n");
}

TEST_F(LogTest, any_other_ledger_that_cannot_be_used_is_a_warning) {
  Command command;
  command.arguments = {ASSAY_BINARY_DIR "/assay", "build", "kernels/softmax", "--json"};
  command.folder = ASSAY_SOURCE_DIR;
  command.environment = {{"ASSAY_NVCC", "none"},
                         {"ASSAY_CACHE", ASSAY_BINARY_DIR "/test-cache"},
                         {"ASSAY_LEDGER", "/proc/no-such-folder/ledger.sqlite"}};
  const auto outcome = assay::run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_status, 0) << outcome->errors;
  EXPECT_NE(outcome->errors.find("warning: not recorded"), std::string::npos) << outcome->errors;
  EXPECT_FALSE(parsed(*outcome).contains("attempt"));
}

TEST_F(LogTest, the_default_place_is_the_project_of_the_kernel) {
  std::filesystem::create_directories(folder_.path() / "project/.git");
  std::filesystem::copy(ASSAY_SOURCE_DIR "/kernels/softmax", folder_.path() / "project/softmax",
                        std::filesystem::copy_options::recursive);
  Command command;
  command.arguments = {ASSAY_BINARY_DIR "/assay", "build", "softmax"};
  command.folder = folder_.path() / "project";
  command.environment = {{"ASSAY_NVCC", "none"}, {"ASSAY_CACHE", ASSAY_BINARY_DIR "/test-cache"}, {"ASSAY_LEDGER", ""}};
  ASSERT_EQ(assay::run(command)->exit_status, 6)
      << "a header of it is not here: nothing is built, and that is recorded";
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "project/.assay/ledger.sqlite"));
  EXPECT_EQ(*read_file(folder_.path() / "project/.assay/.gitignore"), "*\n");
  command.arguments = {ASSAY_BINARY_DIR "/assay", "log", "--json"};
  EXPECT_EQ(parsed(*assay::run(command))["attempts"].size(), 1u);
}

TEST_F(LogTest, a_cost_that_is_no_number_is_a_mistake_of_usage) {
  for (const char* cost : {"cheap", "-1", "nan", "inf", "1x"}) {
    EXPECT_EQ(assay({"build", "kernels/softmax", std::string("--cost-per-hour=") + cost}).exit_status, 2) << cost;
  }
}

TEST_F(LogTest, lists_filter_and_limit) {
  EXPECT_EQ(assay({"build", "kernels/softmax"}).exit_status, 0);
  EXPECT_EQ(assay({"build", "kernels/reduction"}).exit_status, 0);
  append_measurement();
  EXPECT_EQ(log()["attempts"].size(), 3u);
  EXPECT_EQ(log()["more"], false);
  EXPECT_EQ(log({"--kernel", "s*"})["attempts"].size(), 1u);
  EXPECT_EQ(log({"--kind", "build"})["attempts"].size(), 2u);
  EXPECT_EQ(log({"--kind", "measure", "--device", "cuda:*"})["attempts"].size(), 1u);
  EXPECT_EQ(log({"--verdict", "FAILED"})["attempts"].size(), 0u);
  EXPECT_EQ(log({"--since", "1h"})["attempts"].size(), 3u);
  EXPECT_EQ(log({"--since", "2100-01-01"})["attempts"].size(), 0u);
  EXPECT_EQ(log({"--limit", "2"})["attempts"].size(), 2u);
  EXPECT_EQ(log({"--limit", "2"})["more"], true);
  EXPECT_EQ(log({"--limit", "0"})["attempts"].size(), 3u);
  const ProcessOutcome text = assay({"log"});
  EXPECT_EQ(text.exit_status, 0);
  EXPECT_NE(text.output.find("2.50 us"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("30 min ago"), std::string::npos) << text.output;
  EXPECT_EQ(text.output.find('\x1b'), std::string::npos) << "a name reached the terminal as it was";
  EXPECT_EQ(split(text.output, '\n').size(), 5u) << text.output;
}

TEST_F(LogTest, shows_one_with_its_samples) {
  append_measurement();
  const ProcessOutcome text = assay({"log", "show", "1"});
  EXPECT_EQ(text.exit_status, 0);
  for (const char* part : {"measure", "cuda:0 NVIDIA H200", "p90", "2.50 us", "S=512"}) {
    EXPECT_NE(text.output.find(part), std::string::npos) << part << "\n" << text.output;
  }
  EXPECT_EQ(text.output.find('\x1b'), std::string::npos);
  const json document = log({"show", "1"});
  EXPECT_EQ(document["samples"][0]["throttled"], 1);
  EXPECT_FALSE(document["samples"][0].contains("times_us"));
  EXPECT_EQ(log({"show", "1", "--samples"})["samples"][0]["times_us"], (json{3.0, 2.0, 2.5}));
}

TEST_F(LogTest, exports_json_and_csv) {
  append_measurement();
  append_measurement();
  const json document = log({"export", "--samples"});
  ASSERT_EQ(document["attempts"].size(), 2u);
  EXPECT_EQ(document["attempts"][0]["id"], 1);
  EXPECT_EQ(document["attempts"][1]["samples"][0]["clocks_mhz"][2], 1965);
  EXPECT_EQ(document["machines"].size(), 1u);
  const std::string csv = assay({"log", "export", "--format", "csv"}).output;
  EXPECT_TRUE(csv.starts_with("id,kind,time,")) << csv;
  EXPECT_NE(csv.find("\"evil\\u001b[2J,\"\"quoted\"\"\\nname\""), std::string::npos) << csv;
  const std::string samples = assay({"log", "export", "--format", "csv", "--samples"}).output;
  EXPECT_NE(samples.find(",S=512,,,2,2.5,1965,4\n"), std::string::npos) << samples;
  EXPECT_EQ(split(samples, '\n').size(), 1u + 6u + 1u) << samples;  // the line break of the name is written as \n
}

TEST_F(LogTest, best_is_the_leaderboard) {
  append_measurement();
  const json document = log({"best"});
  ASSERT_EQ(document["best"].size(), 1u);
  EXPECT_EQ(document["best"][0]["p50_us"], 2.5);
  EXPECT_EQ(assay({"log", "best"}).exit_status, 0);
}

// Three states of a kernel: the second is faster, the third fails; then the first once more, and a fourth from there.
class StoryTest : public LogTest {
 protected:
  void SetUp() override {
    auto ledger = ledger::Ledger::open(file());
    ASSERT_TRUE(ledger.ok());
    const auto add = [&](const std::string& source, double time_us, int exit_code) {
      ledger::Attempt attempt;
      attempt.kind = ledger::Kind::measure;
      attempt.kernel = "k";
      attempt.device = "d";
      attempt.source_hash = source;
      attempt.duration_s = 60;
      attempt.cost_per_hour = 3;
      attempt.exit_code = exit_code;
      attempt.correct = exit_code == 0;
      attempt.verdict = exit_code == 0 ? "good" : "error";
      if (exit_code != 0) attempt.details = R"({"error": {"message": "the tile does not fit"}})";
      ledger::Samples samples;
      samples.contender = "k";
      samples.shape = "S";
      samples.times_us = {time_us};
      ASSERT_TRUE(ledger->append(attempt, std::vector{samples}).ok());
    };
    add("aaaaaaaaaa", 10, 0);
    add("bbbbbbbbbb", 5, 0);
    add("cccccccccc", 1, 5);
    add("aaaaaaaaaa", 10, 0);
    add("dddddddddd", 8, 0);
    ASSERT_TRUE(
        ledger->add_note({.attempt = 2, .kernel = {}, .kind = ledger::Note::Kind::hypothesis, .text = "tiles"}).ok());
    ASSERT_TRUE(
        ledger->add_note({.attempt = {}, .kernel = "k", .kind = ledger::Note::Kind::retired, .text = "done"}).ok());
  }
};

TEST_F(StoryTest, what_was_tried_what_it_brought_what_it_cost_what_failed) {
  const json story = log({"tried", "k"})["kernels"].at(0);
  EXPECT_EQ(story["attempts"], 5);
  EXPECT_EQ(story["failed"], 1);
  EXPECT_EQ(story["seconds"], 300);
  EXPECT_NEAR(story["cost"].get<double>(), 0.25, 1e-9);
  EXPECT_EQ(story["retired"], "done");
  ASSERT_EQ(story["tried"].size(), 4u);
  EXPECT_EQ(story["tried"][0]["tried"], 2);
  EXPECT_EQ(story["tried"][1]["brought"], 2);
  EXPECT_EQ(story["tried"][1]["what"], "tiles");
  EXPECT_EQ(story["tried"][2]["why_it_failed"], "the tile does not fit");
  EXPECT_TRUE(story["tried"][2]["brought"].is_null()) << "wrong results bring nothing";
  EXPECT_EQ(story["tried"][3]["from"], "aaaaaaaa") << "it came from the state that was gone back to";
  EXPECT_EQ(story["tried"][3]["brought"], 1.25);
  const std::string text = assay({"log", "tried", "k"}).output;
  for (const char* part : {"2.000x", "tiles", "failed: the tile does not fit", "cost 0.25", "retired: done"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(StoryTest, lineage_is_a_tree) {
  const std::string text = assay({"log", "tree", "k"}).output;
  EXPECT_EQ(text.substr(0, text.find('\n')), "aaaaaaaa  first time") << text;
  EXPECT_NE(text.find("\n  dddddddd"), std::string::npos) << "a branch\n" << text;
  EXPECT_NE(text.find("\nbbbbbbbb"), std::string::npos) << "the line that goes on\n" << text;
  EXPECT_NE(assay({"log", "tree", "nothing"}).output.find("no attempt"), std::string::npos);
}

TEST_F(LogTest, mistakes_of_usage) {
  append_measurement();
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"log", "show"},
                                                    {"log", "show", "x"},
                                                    {"log", "show", "99"},
                                                    {"log", "frobnicate"},
                                                    {"log", "export", "--format", "xml"},
                                                    {"log", "export", "--format", "csv", "--json"},
                                                    {"log", "--kind", "nonsense"},
                                                    {"log", "--since", "yesterday"},
                                                    {"log", "--limit", "-1"}}) {
    EXPECT_EQ(assay(arguments).exit_status, 2) << join(arguments, " ");
  }
}

TEST_F(LogTest, without_a_ledger_there_is_nothing_yet_unless_one_was_named) {
  EXPECT_EQ(assay({"log"}).exit_status, 6);
  Command command;
  command.arguments = {ASSAY_BINARY_DIR "/assay", "log", "--json"};
  command.folder = folder_.path();
  command.environment = {{"ASSAY_LEDGER", file()}};
  const auto outcome = assay::run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->exit_status, 0);
  EXPECT_TRUE(parsed(*outcome)["attempts"].empty());
  EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace assay::cli
