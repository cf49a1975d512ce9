// SPDX-License-Identifier: MIT
// assay gate on exact counters, and what the measuring commands say without a GPU.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "judge/counters.hpp"
#include "reduction_copy.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

namespace fs = std::filesystem;

constexpr const char* kStep = "mov.u32 \t%r43, 16;";  // before the first shuffle of a row's sum

class GateCommand : public testing::Test {
 protected:
  void change(const std::string& replacement) const {
    copy_.change_ptx("sm_89", [&](const std::string& text) {
      EXPECT_NE(text.find(kStep), std::string::npos) << "the prebuilt PTX looks different now";
      return replace_all(text, kStep, replacement);
    });
  }
  void make_longer() const {
    std::string longer = kStep;
    for (int i = 0; i < 8; ++i) longer.append("\n\t").append(kStep);
    change(longer);
  }
  ProcessOutcome gate(std::vector<std::string> more) const {
    std::vector<std::string> arguments{
        "gate",    copy_.kernel().string(), "--device", "vgpu:l4",
        "--shape", "ROWS=2,COLUMNS=513",    "--ledger", (copy_.folder().path() / "ledger.sqlite").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return assay_program(arguments);
  }

  ReductionCopy copy_;
};

TEST_F(GateCommand, TheSameKernelPasses) {
  const ProcessOutcome outcome = gate({"--against", "kernels/reduction", "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_EQ(parsed(outcome)["verdict"], "PASS");
}

TEST_F(GateCommand, MoreInstructionsAreARegression) {
  make_longer();
  const fs::path junit = copy_.folder().path() / "gate.xml";
  const fs::path markdown = copy_.folder().path() / "gate.md";
  const ProcessOutcome outcome =
      gate({"--against", "kernels/reduction", "--json", "--junit", junit.string(), "--markdown", markdown.string()});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.output << outcome.errors;
  EXPECT_EQ(parsed(outcome)["verdict"], "REGRESSION");
  EXPECT_NE(read_file(junit)->find("<failure"), std::string::npos);
  EXPECT_NE(read_file(junit)->find("classname=\"assay.gate.reduction\""), std::string::npos) << *read_file(junit);
  EXPECT_NE(read_file(markdown)->find("instructions"), std::string::npos);
  EXPECT_NE(read_file(markdown)->find("<code>reduction</code> on <code>vgpu&#58;l4</code>"), std::string::npos);
  // Fewer are none: seen from the longer kernel, the shipped one is an improvement.
  const ProcessOutcome back =
      assay_program({"gate", "kernels/reduction", "--device", "vgpu:l4", "--shape", "ROWS=2,COLUMNS=513", "--against",
                     copy_.kernel().string(), "--json", "--ledger", "none"});
  EXPECT_EQ(back.exit_status, 0) << back.errors;
}

TEST_F(GateCommand, TheReportsOfSeveralKernelsStandInOneFile) {
  make_longer();
  const fs::path junit = copy_.folder().path() / "gate.xml";
  const fs::path markdown = copy_.folder().path() / "gate.md";
  const ProcessOutcome outcome = gate({"kernels/reduction", "--against", "kernels/reduction", "--junit", junit.string(),
                                       "--markdown", markdown.string()});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.output << outcome.errors;
  EXPECT_NE(read_file(junit)->find("<testsuites name=\"assay gate\" tests=\"2\" failures=\"1\""), std::string::npos)
      << *read_file(junit);
  EXPECT_NE(read_file(markdown)->find("## assay gate: REGRESSION: "), std::string::npos) << *read_file(markdown);
  EXPECT_NE(read_file(markdown)->find("## assay gate: PASS: "), std::string::npos) << *read_file(markdown);
}

TEST_F(GateCommand, WrongResultsComeFirst) {
  change("mov.u32 \t%r43, 8;");
  const ProcessOutcome outcome = gate({"--against", "kernels/reduction", "--json"});
  EXPECT_EQ(outcome.exit_status, 5) << outcome.output;
  EXPECT_EQ(parsed(outcome)["verdict"], "INCORRECT");
  EXPECT_EQ(gate({"--save", "main"}).exit_status, 5) << "wrong results must not become a baseline";
  EXPECT_EQ(gate({"--against", "main"}).exit_status, 2);
}

TEST_F(GateCommand, ASavedBaselineIsFoundAgain) {
  EXPECT_EQ(gate({"--against", "main"}).exit_status, 2) << "there is none yet";
  EXPECT_EQ(gate({"--save", "main"}).exit_status, 0);
  EXPECT_EQ(gate({"--against", "main"}).exit_status, 0);
  make_longer();
  const ProcessOutcome outcome = gate({"--against", "main"});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("counted exactly"), std::string::npos) << outcome.output;
}

TEST_F(GateCommand, AFailedRunNeverMovesTheBaseline) {
  EXPECT_EQ(gate({"--save", "main"}).exit_status, 0);
  make_longer();
  EXPECT_EQ(gate({"--against", "main", "--save", "main"}).exit_status, 3);
  EXPECT_EQ(gate({"--against", "main"}).exit_status, 3) << "still the old one";
}

TEST_F(GateCommand, AnIncorrectBaselineIsRefused) {
  change("mov.u32 \t%r43, 8;");
  const ProcessOutcome outcome =
      assay_program({"gate", "kernels/reduction", "--device", "vgpu:l4", "--shape", "ROWS=2,COLUMNS=513", "--against",
                     copy_.kernel().string(), "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 2) << outcome.output;
  EXPECT_NE(outcome.errors.find("the baseline is itself incorrect"), std::string::npos) << outcome.errors;
}

TEST_F(GateCommand, AnotherConfigurationIsNotComparedInSilence) {
  EXPECT_EQ(gate({"--save", "main"}).exit_status, 0);
  const std::string file = (copy_.folder().path() / "baseline.json").string();
  EXPECT_EQ(gate({"--save", file}).exit_status, 0);
  copy_.change_configuration();
  for (const std::string& baseline : {std::string("main"), file}) {
    const ProcessOutcome other = gate({"--against", baseline});
    EXPECT_EQ(other.exit_status, 2) << other.output;
    EXPECT_NE(other.errors.find("ACCUMULATORS=4,BLOCK=128"), std::string::npos) << other.errors;
    EXPECT_NE(other.errors.find("ACCUMULATORS=2,BLOCK=128"), std::string::npos) << other.errors;
    const ProcessOutcome forced = gate({"--against", baseline, "--force"});
    EXPECT_EQ(forced.exit_status, 0) << forced.errors;
  }
}

TEST_F(GateCommand, ABaselineCanBeAFile) {
  const std::string file = (copy_.folder().path() / "baseline.json").string();
  EXPECT_EQ(gate({"--save", file}).exit_status, 0);
  EXPECT_EQ(gate({"--against", file}).exit_status, 0);
  const auto document = nlohmann::json::parse(*read_file(file));
  EXPECT_EQ(document["assay_baseline"], 1);
  EXPECT_EQ(document["device"], "vgpu:l4");
  EXPECT_GT(document["cases"]["COLUMNS=513,ROWS=2"]["counters"]["ptx_instructions"], 0);
  make_longer();
  EXPECT_EQ(gate({"--against", file, "--save", file}).exit_status, 3);
  EXPECT_EQ(nlohmann::json::parse(*read_file(file)), document) << "a failed run moves no baseline";
  // What is no such file, or of another kernel, is refused.
  for (const char* text :
       {"", "{}", "[1]", R"({"assay_baseline": 2})",
        R"({"assay_baseline": 1, "kernel": "other", "configuration": "", "device": "vgpu:l4", "cases": {}})"}) {
    copy_.folder().write("bad.json", text);
    EXPECT_EQ(gate({"--against", (copy_.folder().path() / "bad.json").string()}).exit_status, 2) << text;
  }
}

TEST_F(GateCommand, CountersHaveNoLeaderboard) {
  const ProcessOutcome outcome = gate({});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("--save"), std::string::npos) << outcome.errors;
}

// A textbook optimisation: store sectors fall by 87.5 %, accesses to shared memory appear.
ProcessOutcome gate_transposition(const std::string& candidate, const std::string& baseline,
                                  std::vector<std::string> more) {
  const std::string folder = ASSAY_SOURCE_DIR "/tests/cli/transposition/";
  std::vector<std::string> arguments{"gate",    folder + candidate, "--against", folder + baseline, "--device",
                                     "vgpu:l4", "--ledger",         "none",      "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return assay_program(arguments);
}

TEST(GateOnCounters, ATiledTranspositionIsATrade) {
  const ProcessOutcome outcome = gate_transposition("tiled", "naive", {});
  EXPECT_EQ(outcome.exit_status, 4) << outcome.output << outcome.errors;
  const auto document = parsed(outcome);
  EXPECT_EQ(document["verdict"], "TRADE");
  double sectors = 0;
  size_t judged = 0;
  for (const auto& change : document["gate"]["cases"][0]["counters"]) {
    if (change["name"] == "global_store_sectors") sectors = change["growth"].get<double>();
    judged += change["judged"].get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(judged, judge::headline_counters().size()) << "every one of them is counted";
  EXPECT_NEAR(sectors, -0.875, 1e-12);
  EXPECT_EQ(outcome.output.find("slower"), std::string::npos);
  EXPECT_EQ(gate_transposition("tiled", "naive", {"--inconclusive", "pass"}).exit_status, 0);
}

TEST(GateOnCounters, AnEstimateSettlesATradeBeyondItsError) {
  const TemporaryFolder folder;
  const auto gate = [&](const std::string& candidate, std::vector<std::string> more) {
    std::vector<std::string> arguments{"gate",     "kernels/planted/transpose_" + candidate,
                                       "--device", "vgpu:h200",
                                       "--shape",  "ROWS=1024,COLUMNS=1024",
                                       "--ledger", (folder.path() / "l.sqlite").string(),
                                       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return assay_program(arguments);
  };
  const ProcessOutcome better = gate("padded", {"--against", "kernels/planted/transpose_naive"});
  EXPECT_EQ(better.exit_status, 0) << better.output << better.errors;
  const auto estimated = parsed(better)["gate"]["cases"][0]["estimated"];
  EXPECT_LT(estimated["candidate"]["high_us"].get<double>(), estimated["baseline"]["low_us"].get<double>());
  EXPECT_EQ(gate("naive", {"--against", "kernels/planted/transpose_padded"}).exit_status, 3);
  // A baseline that was saved holds its estimate as well.
  const std::string file = (folder.path() / "padded.json").string();
  EXPECT_EQ(gate("padded", {"--save", file}).exit_status, 0);
  std::ifstream saved(file);
  EXPECT_NE(std::string(std::istreambuf_iterator<char>(saved), {}).find("\"estimated\""), std::string::npos);
}

// Kernels in sequence have an estimate as one kernel has: what is kept can settle a trade later.
TEST(GateOnCounters, KeepsTheEstimateOfSeveralKernels) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "baseline.json").string();
  const ProcessOutcome outcome = assay_program({"gate", "kernels/two_kernel_reduction", "--device", "vgpu:h200",
                                                "--shape", "N=70000", "--save", file, "--ledger", "none"});
  ASSERT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json estimated = json::parse(*read_file(file))["cases"].front()["estimated"];
  const json alone = parsed(assay_program({"estimate", "kernels/two_kernel_reduction", "--device", "vgpu:h200",
                                           "--shape", "N=70000", "--ledger", "none", "--json"}));
  EXPECT_NEAR(estimated["us"].get<double>(), alone["estimate"]["time_us"].get<double>(), 1e-6);
}

TEST(GateOnCounters, TheUserSaysWhatCounts) {
  EXPECT_EQ(
      gate_transposition("tiled", "naive", {"--counters", "global_load_sectors,global_store_sectors"}).exit_status, 0);
  EXPECT_EQ(
      gate_transposition("naive", "tiled", {"--counters", "global_load_sectors,global_store_sectors"}).exit_status, 3);
  const ProcessOutcome strict = gate_transposition("tiled", "naive", {"--strict"});
  EXPECT_EQ(strict.exit_status, 3);
  EXPECT_EQ(strict.output.find("settled by estimate"), std::string::npos) << strict.output;
  EXPECT_EQ(gate_transposition("tiled", "naive", {"--counters", "sectors"}).exit_status, 2)
      << "there is no such counter";
}

TEST(MeasuringCommands, SayWhatIsMissingWithoutAGpu) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"bench", "kernels/softmax"},
           {"compare", "kernels/softmax", "kernels/softmax"},
           {"calibrate", "kernels/softmax"},
       }) {
    const ProcessOutcome outcome = assay_program(arguments);
    EXPECT_EQ(outcome.exit_status, 6) << arguments[0];
    EXPECT_NE(outcome.errors.find("measures time"), std::string::npos) << arguments[0] << ": " << outcome.errors;
  }
}

TEST(MeasuringCommands, RefuseWhatCannotBeCompared) {
  const ProcessOutcome mixed = assay_program({"compare", "1", "kernels/softmax"});
  EXPECT_EQ(mixed.exit_status, 2);
  const TemporaryFolder folder;
  const ProcessOutcome unknown =
      assay_program({"compare", "1", "2", "--ledger", (folder.path() / "empty.sqlite").string()});
  EXPECT_NE(unknown.exit_status, 0);
  EXPECT_FALSE(unknown.errors.empty());
}

}  // namespace
}  // namespace assay::cli
