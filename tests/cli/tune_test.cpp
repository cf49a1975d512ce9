// SPDX-License-Identifier: MIT
#include <filesystem>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

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
  EXPECT_EQ(document["quantity"], "estimated cycles");
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

Command on_the_stand_in(const std::filesystem::path& kernel) {
  Command command = assay_command({"tune", kernel.string(), "--journal", "none", "--batch", "3", "--budget", "3",
                                   "--no-counters", "--no-race", "--json", "--ledger", "none"});
  command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
  command.environment["ASSAY_NVML_LIBRARY"] = "none";
  command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
  command.environment["FAKE_CUDA_WAITS"] = "1";
  return command;
}

// Three of a batch: their processes are started side by side, and each is timed by itself.
TEST(Tune, ABatchIsTimedOnAGpuOneAfterTheOther) {
  const std::filesystem::path folder = ASSAY_BINARY_DIR "/tune_batch";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(ASSAY_SOURCE_DIR "/kernels/reduction/ptx/reduction.sm_90.ptx", folder / "rows.ptx",
                             std::filesystem::copy_options::overwrite_existing);
  std::string text = *read_file(ASSAY_SOURCE_DIR "/kernels/reduction/kernel.toml");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"reduction.cu\"", "\"rows.ptx\""},
                                                        {"[\"sm_80\", \"sm_89\", \"sm_90\"]", "[\"sm_90\"]"},
                                                        {"[64, 128, 256, 512]", "[128]"}})
    text.replace(text.find(from), from.size(), to);
  ASSERT_TRUE(write_file_atomically(folder / "kernel.toml", text).ok());
  Command command = on_the_stand_in(folder);
  command.arguments.insert(command.arguments.end(), {"--shape", "ROWS=2,COLUMNS=16"});
  const json document = parsed(run_command(command));
  ASSERT_EQ(document["evaluated"].size(), 3u) << document;
  for (const json& each : document["evaluated"]) {
    ASSERT_TRUE(each["value"].is_number()) << each;
    EXPECT_NEAR(each["value"].get<double>(), 0.010, 0.001) << each;
    EXPECT_GT(each["measure_seconds"].get<double>(), 0) << each;
  }
}

// The stand-in does not know this kernel: whoever fails in company is started once more, and fails by itself.
TEST(Tune, WhatFailsInABatchOnAGpuFailsAlone) {
  const json document = parsed(run_command(on_the_stand_in(ASSAY_SOURCE_DIR "/tests/cli/strided_rows")));
  ASSERT_EQ(document["evaluated"].size(), 3u) << document;
  for (const json& each : document["evaluated"]) EXPECT_EQ(each["failure"], "runtime") << each;
}

// How many evaluations it took to come within 25 % of `best`; more than there were if none did.
size_t evaluations_to(const json& document, double best) {
  size_t count = 0;
  for (const json& each : document["evaluated"]) {
    ++count;
    if (!each["value"].is_null() && each["value"].get<double>() <= 1.25 * best) return count;
  }
  return count + 1;
}

std::vector<std::string> strided_rows(const std::string& seed, bool counters) {
  std::vector<std::string> words{"tune",      "tests/cli/strided_rows",
                                 "--device",  "vgpu:a100",
                                 "--budget",  "10",
                                 "--batch",   "2",
                                 "--seed",    seed,
                                 "--journal", "none",
                                 "--ledger",  "none",
                                 "--json"};
  if (!counters) words.emplace_back("--no-counters");
  return words;
}

// Passes and chunks decide, and counters tell them before the first evaluation.
TEST(Tune, CountersLeadToTheBestSooner) {
  const json with = parsed(assay_program(strided_rows("1", true)));
  const json without = parsed(assay_program(strided_rows("1", false)));
  EXPECT_TRUE(with["counters"]["used"]) << with["counters"];
  EXPECT_GE(with["counters"]["built_first"], 16);
  EXPECT_GT(with["counters"]["count_seconds"], 0);
  EXPECT_FALSE(without["counters"]["used"]);
  EXPECT_EQ(without["counters"]["why_not"], "switched off");
  double best = with["evaluated"][0]["value"];
  for (const json* each : {&with, &without}) {
    for (const json& one : (*each)["evaluated"]) {
      if (!one["value"].is_null()) best = std::min(best, one["value"].get<double>());
    }
  }
  EXPECT_LE(evaluations_to(with, best), 4u);
  EXPECT_LT(evaluations_to(with, best), evaluations_to(without, best));
  // Deterministic: the same seed, the same sequence.
  const json again = parsed(assay_program(strided_rows("1", true)));
  for (size_t i = 0; i < with["evaluated"].size(); ++i)
    EXPECT_EQ(again["evaluated"][i]["configuration"], with["evaluated"][i]["configuration"]);
}

// Blocks that take longer than they may cannot be counted: the search goes on without, and says so.
TEST(Tune, WhereNothingCanBeCountedTheSearchDoesWithout) {
  std::vector<std::string> words = strided_rows("1", true);
  words.insert(words.end(), {"--shape", "ROWS=5,COLUMNS=64", "--instruction-limit", "100"});
  const json none = parsed(assay_program(words));
  EXPECT_FALSE(none["counters"]["used"]);
  EXPECT_NE(none["counters"]["why_not"].get<std::string>().find("could not be counted"), std::string::npos)
      << none["counters"];
  const json all =
      parsed(assay_program({"tune", "kernels/reduction", "--device", "vgpu:l4", "--config", "BLOCK=128,ACCUMULATORS=4",
                            "--shape", "ROWS=3,COLUMNS=100", "--journal", "none", "--ledger", "none", "--json"}));
  EXPECT_EQ(all["counters"]["why_not"], "every configuration is evaluated");
}

// 10^8 combinations: neither listed nor waited for.
std::string large_space() {
  const std::string folder = ASSAY_BINARY_DIR "/large_space";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(ASSAY_SOURCE_DIR "/tests/cli/strided_rows/rows.ptx", folder + "/rows.ptx",
                             std::filesystem::copy_options::overwrite_existing);
  std::string text = *read_file(ASSAY_SOURCE_DIR "/tests/cli/strided_rows/kernel.toml");
  text = replace_all(text, "[tunable]\n",
                     "[tunable]\nA = { from = 1, to = 60 }\nB = { from = 1, to = 60 }\nC = { from = 1, to = 60 }\n"
                     "constraints = [\"A % B == 0\", \"C % 2 == 0\"]\n");
  EXPECT_TRUE(write_file_atomically(folder + "/kernel.toml", text).ok());
  return folder;
}

TEST(Tune, ALargeSpaceIsSearchedInParts) {
  const std::vector<std::string> words{"tune",    large_space(), "--device",  "vgpu:a100", "--budget",      "20",
                                       "--batch", "2",           "--journal", "none",      "--no-counters", "--ledger",
                                       "none",    "--json"};
  const json document = parsed(assay_program(words));
  EXPECT_FALSE(document["space"]["listed"]);
  EXPECT_EQ(document["space"]["combinations"], 60.0 * 60 * 60 * 720);
  EXPECT_EQ(document["space"]["legal_is"], "exact");
  EXPECT_EQ(document["evaluated"].size(), 20u);
  EXPECT_NE(document["answer"].get<std::string>().find("PASSES="), std::string::npos);
  std::vector<std::string> exhaustive = words;
  exhaustive.insert(exhaustive.end(), {"--strategy", "exhaustive"});
  const ProcessOutcome refused = assay_program(exhaustive);
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_NE(refused.output.find("cannot all be evaluated"), std::string::npos) << refused.output;
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

// Another search would not have proposed the same: what was measured counts all the same, in a space that is listed and
// in one that is not.
TEST(Tune, WhateverWasMeasuredCountsAfterAResume) {
  const std::string journal = ASSAY_BINARY_DIR "/tune_recalled.jsonl";
  for (const bool listed : {true, false}) {
    std::filesystem::remove(journal);
    const auto words = [&](const std::string& strategy, const std::string& budget) {
      std::vector<std::string> list{"tune",     listed ? "tests/cli/strided_rows" : large_space(),
                                    "--device", "vgpu:a100",
                                    "--batch",  "2",
                                    "--ledger", "none",
                                    "--resume", "--json"};
      if (!listed) list.emplace_back("--no-counters");
      list.insert(list.end(), {"--journal", journal, "--strategy", strategy, "--budget", budget});
      return list;
    };
    const json before = parsed(assay_program(words("random", "6")));
    ASSERT_EQ(before["evaluated"].size(), 6u);
    const json after = parsed(assay_program(words("model", "8")));
    EXPECT_EQ(after["recalled"], 6);
    ASSERT_EQ(after["evaluated"].size(), 8u);
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(after["evaluated"][i]["configuration"], before["evaluated"][i]["configuration"]);
    EXPECT_EQ(parsed(assay_program(words("model", "3")))["evaluated"].size(), 8u);
  }
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
