// SPDX-License-Identifier: MIT
#include "formats/kernel_tuner_cache.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/t4.hpp"

namespace assay::formats {
namespace {

constexpr const char* kCache = R"({ "device_name": "GPU X", "kernel_name": "rows", "problem_size": [8192],
  "tune_params_keys": ["BLOCK", "STAGES"], "tune_params": {"BLOCK": [64, 128], "STAGES": [1, 2]}, "objective": "time",
  "cache": {
    "64,1": {"BLOCK": 64, "STAGES": 1, "time": 0.21, "times": [0.22, 0.20], "compile_time": 810.0, "GFLOP/s": NaN},
    "128,2": {"BLOCK": 128, "STAGES": 2, "__error__": "CompilationFailedConfig", "compile_time": 640.0},
    "64,2": {"BLOCK": 64, "STAGES": 2, "time": "RuntimeFailedConfig"},
    "128,1": {"BLOCK": 128, "STAGES": 1, "time": 1e20} } })";

TEST(KernelTunerCache, TimesSamplesAndFailuresOfOldAndNewFiles) {
  const auto read = parse_kernel_tuner_cache(kCache, "cache.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const tune::RecordedSpace& recorded = read->recorded;
  EXPECT_FALSE(read->repaired);
  EXPECT_EQ(recorded.name, "rows");
  EXPECT_EQ(recorded.device, "GPU X");
  ASSERT_EQ(recorded.space.size(), 4u);
  EXPECT_EQ(recorded.good_count(), 1u);
  const auto at = [&](uint16_t block, uint16_t stages) {
    return *recorded.space.find(std::vector<uint16_t>{block, stages});
  };
  EXPECT_EQ(recorded.milliseconds[at(0, 0)], 0.21);
  EXPECT_EQ(recorded.samples[at(0, 0)], (std::vector<double>{0.22, 0.20}));
  EXPECT_EQ(recorded.compile_milliseconds[at(0, 0)], 810);
  EXPECT_EQ(recorded.failures[at(1, 1)], "CompilationFailedConfig");
  EXPECT_EQ(recorded.failures[at(0, 1)], "RuntimeFailedConfig");
  EXPECT_EQ(recorded.failures[at(1, 0)], "InvalidConfig");
}

TEST(KernelTunerCache, ATimeMayBeTextOrAListOrOnlyItsSamples) {
  const auto read = parse_kernel_tuner_cache(R"({"kernel_name": "rows", "tune_params_keys": ["A"],
    "tune_params": {"A": [1, 2, 3, 4]}, "cache": {"1": {"A": 1, "time": "0.5"}, "2": {"A": 2, "time": [0.5, 1.5, null]},
    "3": {"A": 3, "times": [2, 4]}, "4": {"A": 4, "time": "0.5 ms"}}})",
                                             "cache.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const tune::RecordedSpace& recorded = read->recorded;
  EXPECT_EQ(recorded.milliseconds, (std::vector<std::optional<double>>{0.5, 1.0, 3.0, std::nullopt}));
  EXPECT_EQ(recorded.failures[3], "0.5 ms");
}

TEST(KernelTunerCache, WhatAKillCutOffIsReadAsFarAsItGoes) {
  const std::string whole = kCache;
  const auto read = parse_kernel_tuner_cache(whole.substr(0, whole.find("\"64,2\"") + 20), "cache.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->repaired);
  EXPECT_EQ(read->recorded.space.size(), 2u);
}

TEST(KernelTunerCache, AnEntryMaySayItsParametersInItsKeyAlone) {
  const auto read = parse_kernel_tuner_cache(R"({"tune_params_keys": ["BLOCK", "FAST", "FLAGS", "SCALE"],
    "tune_params": {"BLOCK": [64, -128], "FAST": [true, false], "FLAGS": ["-O2", "-O2,-g", "-g"], "SCALE": [0.5, 1.0]},
    "cache": {"64,True,-O2,0.5": {"time": 1.5, "times": [1.4, 1.6]},
              "-128,False,-O2,-g,1.0": {"time": 2.5},
              "64,False,-g,1": {"BLOCK": 64, "time": "CompilationFailedConfig"}}})",
                                             "cache.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const tune::Space& space = read->recorded.space;
  ASSERT_EQ(space.size(), 3u);
  const auto at = [&](std::vector<uint16_t> row) { return *space.find(row); };
  EXPECT_EQ(read->recorded.milliseconds[at({0, 0, 0, 0})], 1.5);
  EXPECT_EQ(read->recorded.milliseconds[at({1, 1, 1, 1})], 2.5);
  EXPECT_EQ(read->recorded.failures[at({0, 1, 2, 1})], "CompilationFailedConfig");
  // Without the lists of values they are taken as they are written.
  const auto bare = parse_kernel_tuner_cache(
      R"({"tune_params_keys": ["A", "B"], "cache": {"16,x": {"time": 1}, "32,True": {"time": 2}}})", "cache.json");
  ASSERT_TRUE(bare.ok()) << bare.error().message;
  EXPECT_EQ(bare->recorded.space.size(), 2u);
  EXPECT_TRUE(bare->recorded.space.parameters()[0].numeric());
  for (const char* key : {"64", "64,True", "64,True,-O2,0.5,1", "65,True,-O2,0.5", ""}) {
    const auto wrong = parse_kernel_tuner_cache(std::string(R"({"tune_params_keys": ["BLOCK", "FAST", "FLAGS", "SCALE"],
      "tune_params": {"BLOCK": [64], "FAST": [true], "FLAGS": ["-O2"], "SCALE": [0.5]}, "cache": {")") +
                                                    key + R"(": {"time": 1}}})",
                                                "cache.json");
    ASSERT_FALSE(wrong.ok()) << key;
    EXPECT_NE(wrong.error().message.find("its key"), std::string::npos) << wrong.error().message;
  }
}

TEST(KernelTunerCache, WhatIsNoneIsRefusedWithItsName) {
  for (const char* text : {"{}", "[]", R"({"cache": {}})", R"({"cache": {}, "tune_params_keys": ["A"]})",
                           R"({"cache": {"1,2": {"B": 1}}, "tune_params_keys": ["A"]})",
                           R"({"cache": {"1": 5}, "tune_params_keys": ["A"]})"}) {
    const auto read = parse_kernel_tuner_cache(text, "some.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().place.file, "some.json") << text;
  }
}

TunedRun some_run(const tune::Space& space) {
  TunedRun run;
  run.kernel = "rows";
  run.device = "GPU X";
  run.problem_size = {8192};
  run.space = &space;
  run.configurations = {{0, 0.21, {0.22, 0.20}, "", 810, 3, 2.4, 0.1, "2026-11-16T05:00:00+00:00"},
                        {1, std::nullopt, {}, "compile", 640, 0, 0, 0.1, "2026-11-16T05:00:01+00:00"},
                        {3, std::nullopt, {}, "correctness", 640, 3, 0, 0.1, "2026-11-16T05:00:02+00:00"}};
  return run;
}

tune::Space rows_space() {
  const tune::Parameter block{"BLOCK", {tune::number_value(64), tune::number_value(128)}};
  const tune::Parameter layout{"LAYOUT", {tune::word_value("a"), tune::word_value("b")}};
  return std::move(tune::Space::make({block, layout}, {0, 0, 0, 1, 1, 0, 1, 1})).value();
}

TEST(KernelTunerCache, ARateIsNoTime) {
  const auto read = [](const std::string& entry, const std::string& parameter = "A") {
    const auto result = parse_kernel_tuner_cache(R"({"tune_params_keys": [")" + parameter +
                                                     R"("], "objective": "GFLOP/s", "cache": {"1": {")" + parameter +
                                                     R"(": 1, )" + entry + "}}}",
                                                 "cache.json");
    return result.ok() ? std::string() : result.error().message;
  };
  EXPECT_NE(read(R"("GFLOP/s": 900.0)").find("'GFLOP/s' but no 'time'"), std::string::npos);
  EXPECT_EQ(read(R"("GFLOP/s": 900.0, "time": 1.5)"), "");
  EXPECT_EQ(read(R"("__error__": "RuntimeFailedConfig")"), "");
  EXPECT_NE(read(R"("time": 1.5)", "time").find("a parameter is called 'time'"), std::string::npos);
}

TEST(KernelTunerCache, WhatIsWrittenIsReadBack) {
  const tune::Space space = rows_space();
  const auto read = parse_kernel_tuner_cache(to_kernel_tuner_cache(some_run(space)), "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->recorded.space.size(), 3u);
  EXPECT_EQ(read->recorded.good_count(), 1u);
  EXPECT_EQ(read->recorded.best(), 0.21);
  EXPECT_EQ(read->recorded.space.parameters()[1].values[1].text, "b");
}

// What was not measured is no time, in a file that others take for one of times.
TEST(KernelTunerCache, EstimatedCyclesAreWrittenAsAnObjectiveOfTheirOwn) {
  const tune::Space space = rows_space();
  TunedRun run = some_run(space);
  run.quantity = "estimated cycles";
  const std::string text = to_kernel_tuner_cache(run);
  EXPECT_EQ(nlohmann::json::parse(text)["objective"], "estimated_cycles");
  EXPECT_EQ(text.find("\"time\""), std::string::npos);
  const auto read = parse_kernel_tuner_cache(text, "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->recorded.best(), 0.21);
}

TEST(T4, WhatIsWrittenIsReadBackAndHasWhatTheSchemaRequires) {
  const tune::Space space = rows_space();
  const std::string text = to_t4(some_run(space));
  for (const nlohmann::json& result : nlohmann::json::parse(text)["results"]) {
    for (const char* member : {"configuration", "times", "invalidity", "correctness"})
      EXPECT_TRUE(result.contains(member));
    EXPECT_TRUE(result["times"].contains("compilation_time"));
  }
  const auto read = parse_t4(text, "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->recorded.space.size(), 3u);
  EXPECT_EQ(read->recorded.good_count(), 1u);
  EXPECT_EQ(read->recorded.best(), 0.21);
}

TEST(T4, FilesOfTheWildAreRead) {
  const auto read = parse_t4(R"({"metadata": {"timeunit": "miliseconds"}, "results": [
    {"configuration": {"A": 1}, "times": {"compilation": 5.0, "runtimes": [2.0, 4.0]}, "invalidity": "correct"},
    {"configuration": {"A": 2}, "times": {}, "measurements": [{"name": "time", "value": "CompilationFailedConfig"}]},
    {"configuration": {"A": 3}, "times": {"runtimes": []}, "invalidity": "runtime"}]})",
                             "x");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->recorded.milliseconds[0], 3.0);
  EXPECT_EQ(read->recorded.compile_milliseconds[0], 5.0);
  EXPECT_EQ(read->recorded.failures[1], "CompilationFailedConfig");
  EXPECT_EQ(read->recorded.failures[2], "runtime");
}

TEST(T4, OtherTimeUnitsAreScaled) {
  const auto read = parse_t4(R"({"metadata": {"timeunit": "microseconds"}, "results": [
    {"configuration": {"A": 1}, "times": {"runtimes": [2000]}, "invalidity": "correct"}]})",
                             "x");
  ASSERT_TRUE(read.ok());
  EXPECT_DOUBLE_EQ(*read->recorded.milliseconds[0], 2.0);
  EXPECT_FALSE(parse_t4(R"({"results": []})", "x").ok());
  EXPECT_FALSE(parse_t4(R"({"results": [{"configuration": {"A": 1}}, {"configuration": {"B": 1}}]})", "x").ok());
  EXPECT_FALSE(parse_t4(R"({"results": [{"configuration": {}}, {"configuration": {"A": 1}}]})", "x").ok());
}

}  // namespace
}  // namespace assay::formats
