// SPDX-License-Identifier: MIT
// bench, compare, gate, calibrate and suite from end to end, with a library in the driver's place (tests/device/fake)
// that runs the reduction on the host and makes its time up.
#include <filesystem>
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "ledger/ledger.hpp"
#include "ledger/machine.hpp"
#include "reduction_copy.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

class Measuring : public testing::Test {
 protected:
  // The copy is what a change made a tenth slower.
  void make_slower() const {
    copy_.change_ptx("sm_90", [](const std::string& text) { return text + "// SLOWER\n"; });
  }
  fs::path kernel() const { return copy_.kernel(); }
  fs::path ledger() const { return copy_.folder().path() / "ledger.sqlite"; }

  ProcessOutcome assay(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--ledger", ledger().string()});
    Command command = assay_command(std::move(arguments));
    command.environment["ASSAY_CUDA_DRIVER"] = ASSAY_BINARY_DIR "/tests/fake/libfake_cuda.so";
    command.environment["ASSAY_NVML_LIBRARY"] = "none";
    command.environment["ASSAY_CUPTI_LIBRARY"] = "none";
    command.environment["FAKE_CUDA_WAITS"] = "1";
    return run_command(command);
  }
  ProcessOutcome measure(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{command, kernel().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (command != "log") arguments.insert(arguments.end(), {"--shape", "ROWS=2,COLUMNS=16", "--most-samples", "100"});
    return assay(arguments);
  }

  ReductionCopy copy_;
};

TEST_F(Measuring, BenchTimesWhatIsRight) {
  const ProcessOutcome outcome = measure("bench", {"--json"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors << outcome.output.substr(0, 2000);
  const auto document = parsed(outcome);
  const auto& contender = document["cases"][0]["contenders"][0];
  EXPECT_TRUE(contender["good"]);
  EXPECT_NEAR(contender["measured"]["p50_us"].get<double>(), 10, 0.1);
  EXPECT_EQ(document["cases"][0]["contract"]["protocol.sets"], "4");
  EXPECT_EQ(contender["device_bytes"], 4 * (2 * 16 + 2)) << "x and y of one call";
  size_t samples = 0;
  for (const auto& batch : contender["batches"]) samples += batch["us"].size();
  EXPECT_EQ(samples, 240u);
}

TEST_F(Measuring, BenchTakesAFolderOfKernels) {
  const ProcessOutcome outcome =
      assay({"bench", copy_.folder().path().string(), "--shape", "ROWS=2,COLUMNS=16", "--most-samples", "100"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("reduction"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("measured, 240 samples each"), std::string::npos) << outcome.output;
}

TEST_F(Measuring, BenchMeasuresBesideAnotherFolderInOtherCacheStates) {
  for (const char* cache : {"cold", "warm"}) {
    const ProcessOutcome outcome =
        measure("bench", {"--baseline", "kernels/reduction", "--cache", cache, "--protocol", "event", "--json"});
    ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
    const auto document = parsed(outcome);
    const auto& baseline = document["cases"][0]["contenders"][1];
    EXPECT_EQ(baseline["objection"], "") << cache;
    EXPECT_EQ(baseline["comparison"]["verdict"], "SAME") << cache;
  }
  const ProcessOutcome rotating = measure("bench", {"--cache", "rotating"});
  EXPECT_EQ(rotating.exit_status, 2);
  EXPECT_NE(rotating.errors.find("do not exceed twice the cache"), std::string::npos) << rotating.errors;
}

TEST_F(Measuring, CompareSaysWhichIsSlower) {
  ProcessOutcome outcome = assay({"compare", kernel().string(), "kernels/reduction", "--shape", "ROWS=2,COLUMNS=16"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("SAME"), std::string::npos) << outcome.output;
  make_slower();
  outcome = assay({"compare", kernel().string(), "kernels/reduction", "--shape", "ROWS=2,COLUMNS=16"});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("SLOWER"), std::string::npos) << outcome.output;
}

TEST_F(Measuring, TheGateKeepsABaselineAndStopsWhatIsSlower) {
  EXPECT_EQ(measure("gate", {"--save", "main"}).exit_status, 0);
  const ProcessOutcome same = measure("gate", {"--against", "main"});
  EXPECT_EQ(same.exit_status, 0) << same.output << same.errors;
  make_slower();
  const ProcessOutcome slower = measure("gate", {"--against", "main", "--json"});
  EXPECT_EQ(slower.exit_status, 3) << slower.output << slower.errors;
  EXPECT_EQ(parsed(slower)["verdict"], "REGRESSION");
  const ProcessOutcome beside = measure("gate", {"--against", "kernels/reduction", "--json"});
  EXPECT_EQ(beside.exit_status, 3) << beside.output << beside.errors;
}

TEST_F(Measuring, TheGateMeasuresASavedBaselineAgain) {
  EXPECT_EQ(measure("gate", {"--save", "main"}).exit_status, 0);
  const auto document = parsed(measure("gate", {"--against", "main", "--json"}));
  EXPECT_EQ(document["verdict"], "PASS");
  const auto& comparison = document["gate"]["cases"][0]["comparison"];
  EXPECT_TRUE(comparison["options"]["interleaved"]) << "beside each other, in one run";
  EXPECT_TRUE(comparison["replicated"]);
  // A change that failed does not become the baseline.
  make_slower();
  EXPECT_EQ(measure("gate", {"--against", "main", "--save", "main"}).exit_status, 3);
  EXPECT_EQ(measure("gate", {"--against", "main"}).exit_status, 3) << "it is still the old one";
}

TEST_F(Measuring, AStoredBaselineOfAnotherConfigurationIsRefused) {
  EXPECT_EQ(measure("gate", {"--save", "main"}).exit_status, 0);
  copy_.change_configuration();
  const ProcessOutcome other = measure("gate", {"--against", "main"});
  EXPECT_EQ(other.exit_status, 2) << other.output;
  EXPECT_NE(other.errors.find("was measured with the configuration ACCUMULATORS=4,BLOCK=128"), std::string::npos)
      << other.errors;
  const ProcessOutcome forced = measure("gate", {"--against", "main", "--force"});
  EXPECT_EQ(forced.exit_status, 0) << forced.output << forced.errors;
}

// A kernel that does nothing is recorded like any other, and its time would beat everybody's.
TEST_F(Measuring, AStoredBaselineThatIsIncorrectIsRefused) {
  const auto rename_entry = [&](const std::string& from, const std::string& to) {
    const fs::path file = kernel() / "kernel.toml";
    copy_.folder().write("reduction/kernel.toml", replace_all(*read_file(file), from, to));
    copy_.change_ptx("sm_90", [&](const std::string& text) { return replace_all(text, from, to); });
  };
  rename_entry("row_sum_f32", "idle_f32");
  EXPECT_EQ(measure("bench", {"--save", "bad"}).exit_status, 5);
  rename_entry("idle_f32", "row_sum_f32");
  const ProcessOutcome outcome = measure("gate", {"--against", "bad"});
  EXPECT_EQ(outcome.exit_status, 2) << outcome.output;
  EXPECT_NE(outcome.errors.find("is itself incorrect"), std::string::npos) << outcome.errors;
  EXPECT_EQ(measure("bench", {"--save", "good"}).exit_status, 0);
  EXPECT_EQ(measure("gate", {"--against", "good"}).exit_status, 0);
}

TEST_F(Measuring, AnUnchangedKernelPassesAgainstTheBest) {
  EXPECT_EQ(measure("bench", {}).exit_status, 0);
  const ProcessOutcome gate = measure("gate", {});
  EXPECT_EQ(gate.exit_status, 0) << gate.output << gate.errors;
  make_slower();
  EXPECT_EQ(measure("gate", {}).exit_status, 3);
  const ProcessOutcome other = measure("gate", {"--protocol", "event"});
  EXPECT_EQ(other.exit_status, 2) << "nothing was measured under this contract: " << other.output;
}

TEST_F(Measuring, ABaselineCanBeAFile) {
  const std::string file = (copy_.folder().path() / "baseline.json").string();
  EXPECT_EQ(measure("gate", {"--save", file}).exit_status, 0);
  const ProcessOutcome same = measure("gate", {"--against", file});
  EXPECT_EQ(same.exit_status, 0) << same.output << same.errors;
  make_slower();
  EXPECT_EQ(measure("gate", {"--against", file}).exit_status, 3);
}

TEST_F(Measuring, ACalibrationStandsBesideTheGatesVerdict) {
  const ProcessOutcome calibrated =
      measure("calibrate", {"--pairs", "3", "--trials", "2", "--slowdowns", "0.1", "--json"});
  ASSERT_EQ(calibrated.exit_status, 0) << calibrated.errors;
  const auto document = parsed(calibrated);
  EXPECT_EQ(document["calibration"]["false_verdicts"], 0);
  EXPECT_EQ(document["calibration"]["detections"][0]["found"], 2);
  EXPECT_EQ(document["false_comparisons"], 0);
  EXPECT_EQ(document["same"].size(), 3u);
  EXPECT_EQ(document["slower"][0].size(), 2u);
  const ProcessOutcome gate = measure("gate", {"--against", "kernels/reduction"});
  EXPECT_EQ(gate.exit_status, 0) << gate.output << gate.errors;
  EXPECT_NE(gate.output.find("false verdicts 0 of 3"), std::string::npos) << gate.output;
}

TEST_F(Measuring, ACalibrationOfANoisyMachineWidensIntervals) {
  const ProcessOutcome calibrated =
      measure("calibrate", {"--pairs", "1", "--trials", "1", "--slowdowns", "0.1", "--json"});
  ASSERT_EQ(calibrated.exit_status, 0) << calibrated.errors;
  const auto spread = [&](const char* command, std::vector<std::string> more) {
    const auto document = parsed(measure(command, std::move(more)));
    const auto& comparison = command == std::string("gate") ? document["gate"]["cases"][0]["comparison"]
                                                            : document["cases"][0]["contenders"][1]["comparison"];
    return comparison["options"]["process_spread"];
  };
  EXPECT_TRUE(spread("bench", {"--baseline", "kernels/reduction", "--json"}).is_null()) << "6 processes say nothing";
  const auto document = parsed(calibrated);
  auto calibration = document["calibration"];
  calibration["spread"] = {{{"us", 20}, {"deviation", 0.02}, {"processes", 100}}};
  {
    auto stored = ledger::Ledger::open(ledger());
    ASSERT_TRUE(stored.ok());
    const std::string key = "calibration/" + document["gpu"].get<std::string>();
    ASSERT_TRUE(stored->set_machine_value(ledger::this_machine().id, key, calibration.dump()).ok());
  }
  EXPECT_EQ(spread("bench", {"--baseline", "kernels/reduction", "--json"})["part"], 0.02);
  EXPECT_EQ(spread("gate", {"--against", "kernels/reduction", "--json"})["part"], 0.02) << "the gate knows it too";
}

TEST_F(Measuring, ACalibrationGoesOnWhereItWas) {
  const std::vector<std::string> options{"--pairs",      "2",        "--trials", "1", "--slowdowns", "0.1",
                                         "--stop-after", "0.000001", "--json"};
  const ProcessOutcome first = measure("calibrate", options);
  EXPECT_EQ(first.exit_status, 4) << first.errors;
  EXPECT_EQ(parsed(first)["same"].size(), 1u);
  const ProcessOutcome second = measure("calibrate", options);
  EXPECT_EQ(parsed(second)["same"].size(), 2u);
  const ProcessOutcome third = measure("calibrate", options);
  EXPECT_EQ(parsed(third)["slower"][0].size(), 1u);
}

TEST(Simulation, MakesTheTableAndGoesOnWhereItWas) {
  const TemporaryFolder folder;
  Command command = assay_command({"calibrate", "--simulate", "--runs", "10", "--json"});
  command.environment["ASSAY_CACHE"] = folder.path().string();
  const auto document = parsed(run_command(command));
  EXPECT_EQ(document["cells"].size(), 350u);
  EXPECT_EQ(document["cells"][0]["runs"], 10);
  const auto again = parsed(run_command(command));
  EXPECT_EQ(document, again);
  // The page shows the table of this command, with more runs: the same rows in the same order.
  command.arguments.pop_back();
  const ProcessOutcome table = run_command(command);
  const auto rows_of = [](const std::string& text) {
    std::vector<std::string> rows;  // noise and length
    bool inside = false;
    for (const std::string_view line : split(text, '\n')) {
      inside = line.starts_with("| noise | us |") || (inside && line.starts_with("|"));
      if (!inside || line.starts_with("|---")) continue;
      rows.emplace_back(line.substr(0, line.find('|', line.find('|', 1) + 1)));
    }
    return rows;
  };
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/measurement.md");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(rows_of(*page), rows_of(table.output));
  EXPECT_EQ(rows_of(*page).size(), 71u);
}

// What the page's table says is what the page promises.
TEST(Simulation, ThePromisesHoldInTheTableOfThePage) {
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/measurement.md");
  ASSERT_TRUE(page.ok());
  size_t rows = 0;
  bool inside = false;
  for (const std::string_view line : split(*page, '\n')) {
    inside = line.starts_with("| noise | us |") || (inside && line.starts_with("|"));
    if (!inside || line.starts_with("| noise") || line.starts_with("|---")) continue;
    const std::vector<std::string_view> cells = split(line, '|');
    ASSERT_EQ(cells.size(), 8u) << line;
    double compare = -1, gate = -1, slowdown = -1, slower = -1, regression = -1, two = -1;
    ASSERT_EQ(std::sscanf(std::string(cells[3]).c_str(), "%lf, %lf", &compare, &gate), 2) << line;
    ASSERT_EQ(std::sscanf(std::string(cells[4]).c_str(), " +%lf %%: %lf, %lf", &slowdown, &slower, &regression), 3)
        << line;
    ASSERT_EQ(std::sscanf(std::string(cells[5]).c_str(), "%lf", &two), 1) << line;
    const double us = std::stod(std::string(cells[2]));
    EXPECT_LE(compare, 1) << line;
    EXPECT_LE(gate, 1) << line;
    EXPECT_EQ(slowdown, us >= 20 ? 3 : us >= 5 ? 5 : 10) << line;
    // A tick of 0.5 us is a tenth of 5 us: nothing is found, and nothing is said.
    const bool hidden = us < 20 && line.starts_with("| ticks of 0.5 us");
    EXPECT_TRUE(hidden ? slower == 0 : slower >= 95) << line;
    EXPECT_TRUE(hidden ? regression == 0 : regression >= 95) << line;
    EXPECT_TRUE(us < 20 || two <= 10) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 70u);
}

// A specification with small shapes, a baseline and a goal, so that run can go all its way.
class RunOnGpu : public Measuring {
 protected:
  void prepare(const std::string& goal) const {
    const auto text = read_file(kernel() / "kernel.toml");
    ASSERT_TRUE(text.ok());
    std::string changed = *text;
    const size_t canonical = changed.find("canonical = [");
    const size_t end = changed.find("\n]", canonical);
    ASSERT_NE(end, std::string::npos);
    changed.replace(canonical, end + 2 - canonical, "canonical = [{ ROWS = 2, COLUMNS = 16 }]");
    changed +=
        "\n[baseline.shipped]\nprovider = \"kernel\"\nfolder = \"" ASSAY_SOURCE_DIR "/kernels/reduction\"\n" + goal;
    copy_.folder().write("reduction/kernel.toml", changed);
  }
  ProcessOutcome run_all(std::vector<std::string> more) const {
    std::vector<std::string> arguments = copy_.run_words();
    arguments.insert(arguments.end(), more.begin(), more.end());
    return assay(arguments);
  }
  static std::string state_of(const nlohmann::json& document, const std::string& gate) {
    for (const auto& each : document["gates"]) {
      if (each["name"] == gate) return each["state"];
    }
    return "no such gate";
  }
};

TEST_F(RunOnGpu, GoesOnToBenchAndProfileAndJudgesTheGoal) {
  prepare("\n[[goal.speedup]]\nbaseline = \"shipped\"\nat_least = 0.9\n");
  const ProcessOutcome outcome = run_all({"--json"});
  const auto document = parsed(outcome);
  std::vector<std::string> steps;
  for (const auto& step : document["steps"]) steps.push_back(step["name"]);
  EXPECT_EQ(steps, (std::vector<std::string>{"doctor", "build", "sanitize", "check", "bench", "profile"}));
  EXPECT_EQ(state_of(document, "correct"), "passed") << document["gates"].dump(1);
  EXPECT_EQ(state_of(document, "at least 0.5x"), "passed") << document["gates"].dump(1);
  ASSERT_EQ(document["goal"].size(), 1u);
  EXPECT_EQ(document["goal"][0]["state"], "met") << document["goal"].dump(1);
  EXPECT_EQ(state_of(document, "at the goal"), "passed") << document["gates"].dump(1);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
}

TEST_F(RunOnGpu, StopsAtTheGateThatAKernelDoesNotPass) {
  prepare("\n[[goal.speedup]]\nbaseline = \"shipped\"\nat_least = 1.1\n");
  make_slower();
  const ProcessOutcome outcome = run_all({"--json"});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.errors;
  const auto document = parsed(outcome);
  EXPECT_EQ(state_of(document, "at least 0.5x"), "passed");
  EXPECT_EQ(state_of(document, "at least 1x"), "stopped") << document["gates"].dump(1);
  EXPECT_EQ(state_of(document, "at the goal"), "not reached");
  EXPECT_EQ(document["goal"][0]["state"], "not met");
}

TEST_F(RunOnGpu, BenchPrintsTheGoalLineByLine) {
  prepare("\n[goal]\np90 = 2\nsm_busy = 0.7\n\n[[goal.speedup]]\nbaseline = \"shipped\"\nat_least = 9\n");
  const ProcessOutcome outcome = assay({"bench", kernel().string(), "--baseline", "shipped", "--most-samples", "100"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("goal not met    speed-up over shipped at least 9.00"), std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find("goal met        p90 at most 2.00 of shipped's"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("goal not known  SM busy at least 70 %"), std::string::npos) << outcome.output;
}

TEST_F(Measuring, DoctorIsAGateForAPurposeAndTellsWhatHasChanged) {
  const ProcessOutcome ready = assay({"doctor", "--for", "bench", "--no-measure", "--json"});
  EXPECT_EQ(ready.exit_status, 0) << ready.output << ready.errors;
  EXPECT_EQ(parsed(ready)["verdict"], "good");
  EXPECT_TRUE(parsed(ready)["drifts"].empty());
  {
    auto stored = ledger::Ledger::open(ledger());
    ASSERT_TRUE(stored.ok());
    const std::string machine = ledger::this_machine().id;
    const auto state = stored->machine_value(machine, "doctor/bench");
    ASSERT_TRUE(state.ok() && *state);
    auto changed = nlohmann::json::parse(**state);
    changed["nvcc"] = "9.2 (/opt/old/nvcc)";
    ASSERT_TRUE(stored->set_machine_value(machine, "doctor/bench", changed.dump()).ok());
  }
  const auto again = parsed(assay({"doctor", "--for", "bench", "--no-measure", "--json"}));
  ASSERT_EQ(again["drifts"].size(), 1u) << again["drifts"].dump(1);
  EXPECT_EQ(again["drifts"][0]["name"], "nvcc");
  EXPECT_EQ(again["drifts"][0]["before"], "9.2 (/opt/old/nvcc)");
  const ProcessOutcome missing = assay({"doctor", "--for", "build", "--no-measure"});
  EXPECT_EQ(missing.exit_status, 6) << missing.output;
  EXPECT_NE(missing.output.find("missing nvcc"), std::string::npos) << missing.output;
  EXPECT_TRUE(missing.output.ends_with("NOT READY for build\n")) << missing.output;
}

TEST_F(Measuring, ASuiteIsMeasuredOnce) {
  copy_.folder().write("suite.toml", R"toml([suite]
name = "rows"
[[kernel]]
folder = "reduction"
shapes = { ROWS = [1, 2], COLUMNS = 16 }
baselines = ["reduction"]
most_samples = 100
)toml");
  const std::string suite = (copy_.folder().path() / "suite.toml").string();
  const ProcessOutcome first = assay({"suite", suite, "--json"});
  ASSERT_EQ(first.exit_status, 0) << first.errors;
  const auto document = parsed(first);
  ASSERT_EQ(document["rows"].size(), 2u);
  for (const auto& row : document["rows"]) EXPECT_EQ(row["baselines"][0]["verdict"], "SAME") << row.dump(1);
  const ProcessOutcome second = assay({"suite", suite});
  EXPECT_EQ(second.exit_status, 0) << second.errors;
  EXPECT_NE(second.output.find("2 from an earlier run"), std::string::npos) << second.output;
}

}  // namespace
}  // namespace assay::cli
