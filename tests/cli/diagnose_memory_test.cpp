// SPDX-License-Identifier: MIT
// assay diagnose beside a baseline whose provider reports how much device memory a call holds. A fake driver stands in
// for the GPU, and a small program for the provider.
#include <filesystem>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "reduction_copy.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

class DiagnoseMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("python3").empty()) GTEST_SKIP() << "python3 is not here: the fake provider needs it";
  }

  // `says`: of the memory of a call of the baseline, as JSON.
  ProcessOutcome diagnose(const std::string& says, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"diagnose", kernel().string(), "--baseline", "rival", "--ledger", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return beside("--device-bytes '" + says + "'", std::move(words));
  }
  // With a rival that is started with these options.
  ProcessOutcome beside(const std::string& options, std::vector<std::string> words,
                        const std::string& shape = "ROWS=2,COLUMNS=16") const {
    const auto toml = read_file(kernel() / "kernel.toml");
    EXPECT_TRUE(toml.ok());
    if (toml->find("[baseline.rival]") == std::string::npos)
      copy_.folder().write("reduction/kernel.toml",
                           *toml + "\n[baseline.rival]\nprovider = \"command\"\nprogram = \"python3\"\n" +
                               "arguments = \"-S -E -B '" ASSAY_SOURCE_DIR "/tests/measure/fake_provider.py' " +
                               options + "\"\n");
    if (!shape.empty()) words.insert(words.end(), {"--shape", shape});
    words.emplace_back("--json");
    Command command = assay_command(std::move(words));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = ASSAY_BINARY_DIR "/tests/fake/libfake_nvml.so";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    command.environment["FAKE_CUDA_WAITS"] = "1";
    command.environment["FAKE_CUDA_L2_BYTES"] = l2_bytes_;
    return run_command(command);
  }
  std::filesystem::path kernel() const { return copy_.kernel(); }

  static const json* workspace(const json& document) {
    for (const json& finding : document["findings"]) {
      if (finding["rule"] == "workspace") return &finding;
    }
    return nullptr;
  }

  ReductionCopy copy_;
  std::string l2_bytes_ = "256";
};

constexpr int kOwn = 4 * (2 * 16 + 2);  // x and y

TEST_F(DiagnoseMemory, MoreThanTwiceTheBaselinesIsAFinding) {
  const ProcessOutcome outcome = diagnose(std::to_string(kOwn / 2 - 1));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["known"], "counted and measured") << document.value("not_measured", "");
  EXPECT_EQ(document["device_memory"]["kernel_bytes"], kOwn);
  EXPECT_EQ(document["device_memory"]["baseline"], "rival");
  EXPECT_EQ(document["device_memory"]["baseline_bytes"], kOwn / 2 - 1);
  const json* found = workspace(document);
  ASSERT_NE(found, nullptr) << document["findings"].dump();
  const auto fact = (*found)["evidence"][0].get<std::string>();
  EXPECT_NE(fact.find("0.000136 MB of device memory, one of the baseline 'rival' 6.7e-05 MB"), std::string::npos)
      << fact;
}

// Sets that exceed the cache would be too many.
TEST_F(DiagnoseMemory, WhatNeverLeavesTheCacheIsMeasuredThere) {
  const json rotating = parsed(diagnose(std::to_string(kOwn)));
  EXPECT_EQ(rotating["known"], "counted and measured");
  EXPECT_EQ(rotating["cache"], "rotating");
  l2_bytes_ = std::to_string(60 << 20);
  const json warm = parsed(diagnose(std::to_string(kOwn), {"--sweep", "COLUMNS=16..32"}));
  EXPECT_EQ(warm["known"], "counted and measured") << warm.value("not_measured", "");
  EXPECT_EQ(warm["cache"], "warm");
  for (const json& point : warm["sweep"]) EXPECT_EQ(point["known"], "measured");
}

TEST_F(DiagnoseMemory, TwiceTheBaselinesIsNone) {
  const ProcessOutcome outcome = diagnose(std::to_string(kOwn / 2), {"--sweep", "COLUMNS=16..32"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["device_memory"]["baseline_bytes"], kOwn / 2);
  EXPECT_EQ(workspace(document), nullptr) << document["findings"].dump();
  // A shape of a sweep that was measured has the state of the GPU beside it.
  ASSERT_EQ(document["sweep"].size(), 2u);
  for (const json& point : document["sweep"]) {
    ASSERT_TRUE(point.contains("gpu")) << point.dump() << document.value("not_measured", "");
    EXPECT_GT(point["gpu"]["clock_mhz"].get<double>(), 0);
    EXPECT_GT(point["gpu"]["power_w"].get<double>(), 0);
    EXPECT_TRUE(point["gpu"]["temperature_c"].is_null()) << "this GPU does not tell";
    EXPECT_NE(point["gpu"]["throttled"], "none") << "its power cap holds it back";
  }
}

TEST_F(DiagnoseMemory, AnAbsurdFigureIsSaidAndTheKernelIsMeasuredAllTheSame) {
  const json document = parsed(diagnose("1e30"));
  EXPECT_EQ(document["known"], "counted and measured");
  EXPECT_FALSE(document["device_memory"].contains("baseline"));
  EXPECT_NE(document["baseline_not_measured"].get<std::string>().find("bytes of device memory"), std::string::npos);
  EXPECT_EQ(workspace(document), nullptr);
}

// The stop rule of a search: a call takes 10 us here.
TEST_F(DiagnoseMemory, ASearchDoesNotBeginBelowHalfOfTheBaselinesSpeed) {
  const std::string ledger = (copy_.folder().path() / "ledger.sqlite").string();
  const std::vector<std::string> words = {
      "tune", kernel().string(), "--config", "ACCUMULATORS=4", "--budget", "7", "--ledger",
      ledger, "--device",        "cuda:0",   "--journal",      "none"};
  const ProcessOutcome stopped = beside("--us 2", words);
  EXPECT_EQ(stopped.exit_status, 3) << stopped.errors;
  const json document = parsed(stopped);
  EXPECT_NEAR(document["stopped"]["speed"].get<double>(), 0.2, 0.02);
  EXPECT_EQ(document["stopped"]["saved"]["evaluations"], 4) << "of the budget of 7: there are no more";
  EXPECT_GT(document["stopped"]["saved"]["estimated_s"].get<double>(), 0);
  EXPECT_NE(document["stopped"]["saved"]["estimated_how"], "");
  EXPECT_FALSE(document["diagnosis"]["findings"].empty());
  EXPECT_TRUE(document.contains("attempt")) << "it is recorded";
}

// The stop rule of a run: the first shape that is so slow is the last one measured.
TEST_F(DiagnoseMemory, ARunStopsAtTheFirstShapeThatIsFarTooSlowAndSaysWhatThatSaved) {
  const auto toml = read_file(kernel() / "kernel.toml");
  ASSERT_TRUE(toml.ok());
  const size_t shapes = toml->find("canonical = [");
  const size_t end = toml->find("[tolerance]", shapes);
  ASSERT_NE(end, std::string::npos);
  copy_.folder().write(
      "reduction/kernel.toml",
      std::string(*toml).replace(
          shapes, end - shapes,
          "canonical = [{ ROWS = 2, COLUMNS = 16 }, { ROWS = 2, COLUMNS = 8 }, { ROWS = 1, COLUMNS = 4 }]\n\n"));
  const std::string ledger = (copy_.folder().path() / "ledger.sqlite").string();
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = copy_.run_words();
    words.insert(words.end(), {"--ledger", ledger, "--device", "cuda:0"});
    words.insert(words.end(), more.begin(), more.end());
    return beside("--us 2", words, "");
  };
  const ProcessOutcome stopped = run({});
  EXPECT_EQ(stopped.exit_status, 3) << stopped.errors;
  const json document = parsed(stopped);
  EXPECT_EQ(document["bench"]["cases"].size(), 1u);
  const json& stop = document["stopped"];
  EXPECT_NEAR(stop["speed"].get<double>(), 0.2, 0.02) << document["gates"].dump(1);
  EXPECT_EQ(stop["shape"], "COLUMNS=16,ROWS=2");
  EXPECT_EQ(stop["saved"]["shapes"], 2);
  EXPECT_EQ(stop["saved"]["steps"], json::array({"profile"}));
  EXPECT_GT(stop["saved"]["estimated_s"].get<double>(), 0);
  EXPECT_FALSE(document["diagnosis"]["findings"].empty());

  const json went_on = parsed(run({"--go-on"}));
  EXPECT_EQ(went_on["bench"]["cases"].size(), 3u);
  EXPECT_FALSE(went_on.contains("stopped"));

  const auto page =
      run_command(assay_command({"report", "--since", "1h", "--ledger", ledger, "--format", "markdown", "--out", "-"}));
  EXPECT_NE(page.output.find("2 shapes, profile"), std::string::npos) << page.output << page.errors;
}

}  // namespace
}  // namespace assay::cli
