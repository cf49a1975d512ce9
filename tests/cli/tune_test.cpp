// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

// 16 x 4 configurations in Kernel Tuner's format; the best is BLOCK=128, ITEMS=3.
std::string cache_text() {
  nlohmann::ordered_json top{{"device_name", "GPU X"},
                             {"kernel_name", "rows"},
                             {"problem_size", 1024},
                             {"tune_params_keys", {"BLOCK", "ITEMS"}},
                             {"tune_params", {{"BLOCK", nlohmann::ordered_json::array()}, {"ITEMS", {1, 2, 3, 4}}}},
                             {"objective", "time"}};
  for (int block = 16; block <= 256; block += 16) {
    top["tune_params"]["BLOCK"].push_back(block);
    for (int items = 1; items <= 4; ++items) {
      const double time = 1 + std::abs(block - 128) / 100.0 + std::abs(items - 3) / 5.0;
      top["cache"][std::to_string(block) + "," + std::to_string(items)] = {
          {"BLOCK", block}, {"ITEMS", items}, {"time", time}, {"times", {time * 0.99, time * 1.01}}};
    }
  }
  return top.dump();
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = ASSAY_BINARY_DIR "/" + name;
  EXPECT_TRUE(write_file_atomically(path, text).ok());
  return path;
}

TEST(Tune, ReplaysARecordedSpace) {
  const std::string cache = written("tune_cache.json", cache_text());
  const ProcessOutcome outcome = assay_program({"tune", "--replay", cache, "--seeds", "3", "--budget", "40",
                                                "--strategy", "model", "--strategy", "random", "--noise", "--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  ASSERT_EQ(document["strategies"].size(), 2u);
  const json& model = document["strategies"][0];
  EXPECT_EQ(model["spaces"][0]["space"], "rows");
  EXPECT_EQ(model["spaces"][0]["configurations"], 64);
  EXPECT_EQ(model["all"]["missed_1_percent"], 0);
  EXPECT_EQ(model["noise"][0]["tunings"], 6);
  EXPECT_NE(assay_program({"tune", "--replay", cache, "--seeds", "2"}).output.find("to 1 %"), std::string::npos);
}

TEST(Tune, AFileThatWasCutOffIsReadAndSaidSo) {
  const std::string text = cache_text();
  const std::string cache = written("tune_cut.json", text.substr(0, text.size() / 2));
  const ProcessOutcome outcome = assay_program({"tune", "--replay", cache, "--seeds", "1"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_NE(outcome.errors.find("was cut off"), std::string::npos);
}

TEST(Tune, MistakesAreNamed) {
  EXPECT_EQ(assay_program({"tune", "--replay", "no/such/file"}).exit_status, 2);
  const ProcessOutcome strategy = assay_program({"tune", "--synthetic", "judging", "--strategy", "magic"});
  EXPECT_EQ(strategy.exit_status, 2);
  EXPECT_NE(strategy.errors.find("annealing"), std::string::npos);
  EXPECT_EQ(assay_program({"tune", "--replay", written("tune_none.json", "{}")}).exit_status, 2);
}

// The default configuration is prebuilt, so that no compiler is needed.
TEST(Tune, AKernelIsCountedWhereThereIsNoGpu) {
  const std::string journal = ASSAY_BINARY_DIR "/tune_journal.jsonl";
  std::filesystem::remove(journal);
  const std::string header = ASSAY_BINARY_DIR "/tuned.h";
  const std::vector<std::string> words{"tune",      "kernels/reduction",
                                       "--device",  "vgpu:l4",
                                       "--config",  "BLOCK=128,ACCUMULATORS=4",
                                       "--shape",   "ROWS=3,COLUMNS=100",
                                       "--journal", journal,
                                       "--resume",  "--json",
                                       "--export",  header};
  const ProcessOutcome first = assay_program(words);
  ASSERT_EQ(first.exit_status, 0) << first.output << first.errors;
  const json document = parsed(first);
  EXPECT_EQ(document["quantity"], "counted: predicted cycles");
  EXPECT_EQ(document["unit"], "cycles");
  EXPECT_EQ(document["answer"], "ACCUMULATORS=4,BLOCK=128");
  EXPECT_EQ(document["recalled"], 0);
  EXPECT_NE(read_file(header)->find("reduction_tuned"), std::string::npos);
  const json again = parsed(assay_program(words));
  EXPECT_EQ(again["recalled"], 1);
  EXPECT_EQ(again["evaluated"][0]["value"], document["evaluated"][0]["value"]);
}

// A library in the driver's place runs the reduction on the host and makes its time up: 10 us.
TEST(Tune, AKernelIsTimedAndRacedOnAGpu) {
  Command command = assay_command({"tune", "kernels/reduction", "--config", "BLOCK=128,ACCUMULATORS=4", "--shape",
                                   "ROWS=2,COLUMNS=16", "--journal", ASSAY_BINARY_DIR "/tune_gpu.jsonl", "--json",
                                   "--ledger", "none"});
  command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
  command.environment["ASSAY_NVML_LIBRARY"] = "none";
  command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
  command.environment["FAKE_CUDA_WAITS"] = "1";
  const ProcessOutcome outcome = run_command(command);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["quantity"], "measured time");
  EXPECT_NEAR(document["evaluated"][0]["value"].get<double>(), 0.010, 0.001);
  EXPECT_EQ(document["tie_group"].size(), 1u);
  EXPECT_FALSE(document["regret_bound"].is_null());
}

TEST(Tune, AChangedSeedStartsAnewAndSaysWhy) {
  const std::string journal = ASSAY_BINARY_DIR "/tune_anew.jsonl";
  std::filesystem::remove(journal);
  std::vector<std::string> words{
      "tune",    "kernels/reduction",  "--device",  "vgpu:l4", "--config", "BLOCK=128,ACCUMULATORS=4",
      "--shape", "ROWS=3,COLUMNS=100", "--journal", journal,   "--resume"};
  ASSERT_EQ(assay_program(words).exit_status, 0);
  words.insert(words.end(), {"--seed", "2"});
  EXPECT_NE(assay_program(words).output.find("started anew: the seed changed"), std::string::npos);
}

TEST(Tune, WhatCannotBeExportedIsSaidBeforeAnythingRuns) {
  const ProcessOutcome outcome = assay_program({"tune", "kernels/reduction", "--export", "what.yaml"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("what.yaml"), std::string::npos);
  EXPECT_EQ(assay_program({"tune"}).exit_status, 2);
  EXPECT_EQ(assay_program({"tune", "kernels/reduction", "--replay", "x.json"}).exit_status, 2);
}

TEST(Tune, AsksAndAnswers) {
  Command command = assay_command({"tune", "--ask"});
  command.input =
      R"({"space": "s", "seed": 1, "budget": 2, "parameters": [{"name": "A", "values": [1, 2]}], "configurations": [[1], [2]]})"
      "\n";
  for (int i = 0; i < 40; ++i) command.input += "{\"milliseconds\": 1.5, \"left\": 1}\n";
  const ProcessOutcome outcome = run_command(command);
  EXPECT_TRUE(outcome.output.starts_with("{\"evaluate\":[")) << outcome.output;
}

TEST(Tune, AnInputThatEndsTooEarlyOrIsNoneIsAnError) {
  Command command = assay_command({"tune", "--ask"});
  command.input = R"({"space": "s", "seed": 1, "budget": 2, "parameters": [{"name": "A", "values": [1, 2]}]})"
                  "\n";
  const ProcessOutcome early = run_command(command);
  EXPECT_EQ(early.exit_status, 2);
  EXPECT_NE(early.errors.find("ended before"), std::string::npos);
  command.input = "hello\n";
  const ProcessOutcome none = run_command(command);
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_NE(none.errors.find("standard input:1"), std::string::npos) << none.errors;
}

}  // namespace
}  // namespace assay::cli
