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
      {"build", {"--config", "--target", "--all", "--jobs", "--time-limit", "--prebuilt", "--json"}},
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

TEST(Commands, AWrongOptionIsAnsweredInWords) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"frobnicate"}, "there is no command 'frobnicate'"},
      {{"--nope"}, "there is no option '--nope'"},
      {{"--versoin"}, "did you mean '--version'?"},
      {{"chek", "kernels/reduction"}, "did you mean 'check'?"},
      {{"check", "kernels/reduction", "--nope"}, "there is no option '--nope'"},
      {{"check", "kernels/reduction", "--sed", "3"}, "there is no option '--sed'; did you mean '--seed'?"},
      {{"suite"}, "suite is required"},
      {{"learn", "kernels/softmax"}, "assay learn takes no 'kernels/softmax' here"},
      {{"check", "kernels/reduction", "--seed", "x"}, "--seed: 'x' is not a whole number"},
      {{"check", "kernels/reduction", "--seed", "-1"}, "--seed: '-1' is not a whole number"},
      {{"check", "kernels/reduction", "--time-limit", "0"}, "--time-limit: '0' is not a number above 0 and at most"},
      {{"check", "kernels/reduction", "--time-limit", "1e300"}, "--time-limit: '1e300' is not a number above 0 and at"},
      {{"gate", "kernels/reduction", "--threshold", "20"}, "--threshold: '20' is not a number from 0 to 10"},
      {{"gate", "kernels/reduction", "--inconclusive", "maybe"}, "--inconclusive: maybe not in {pass,fail}"},
      {{"bench", "kernels/reduction", "--samples", "3"}, "--samples: '3' is not a whole number from 100 to 1000000"},
      {{"calibrate", "kernels/reduction", "--slowdowns", "0.1,20"}, "--slowdowns: '20' is not a number from 0 to 10"},
      {{"log", "--limit", "many"}, "--limit: 'many' is not a whole number"},
      {{"compare", "one"}, "operands: at least 2 expected, but given: 1"},
  };
  for (const auto& [arguments, expected] : cases) {
    const ProcessOutcome outcome = assay_program(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << expected;
    EXPECT_NE(outcome.errors.find(expected), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("--help"), std::string::npos) << outcome.errors;
  }
}

TEST(Commands, AFolderIsNoSourceOfANewKernel) {
  const ProcessOutcome outcome = assay_program({"new", ASSAY_SOURCE_DIR "/kernels/softmax"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("this is a folder"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("expected a source of CUDA C++, or PTX"), std::string::npos) << outcome.errors;
}

TEST(Commands, AKernelIsTheCurrentFolderUnlessOneIsNamed) {
  EXPECT_NE(assay_program({"check"}).errors.find("kernel.toml"), std::string::npos) << "there is none at the root";
  Command command = assay_command({"check", "--shape", "ROWS=3,COLUMNS=72,dtype=f16"});
  command.folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "kernels/softmax";
  const ProcessOutcome outcome = run_command(command);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
}

TEST(Commands, SeveralKernelsAreOneDocumentAndTheWorstOfThemCounts) {
  const ProcessOutcome outcome =
      assay_program({"sanitize", "kernels/broken/out_of_bounds_read", "no/such/kernel", "kernels/softmax", "--json"});
  EXPECT_EQ(outcome.exit_status, 2) << outcome.errors;
  const json document = parsed(outcome);
  ASSERT_EQ(document["kernels"].size(), 3u);
  EXPECT_EQ(document["kernels"][0]["verdict"], "failed");
  EXPECT_EQ(document["kernels"][1]["verdict"], "error");
  EXPECT_EQ(document["kernels"][2]["verdict"], "clean");
}

TEST(Commands, OfSeveralKernelsTheOneWithTheMistakeIsNamed) {
  const ProcessOutcome outcome =
      assay_program({"check", "kernels/reduction", "kernels/softmax", "--shape", "ROWS=2,COLUMNS=64"});
  EXPECT_EQ(outcome.exit_status, 2) << outcome.errors;
  EXPECT_NE(outcome.errors.find("assay: kernels/softmax: --shape \"ROWS=2,COLUMNS=64\" has no \"dtype\""),
            std::string::npos)
      << outcome.errors;
}

TEST(Commands, WithoutADeviceTheFirstVirtualOneThatSuits) {
  const std::vector<std::string> hopper = {"check", "kernels/tensor_map_copy", "--shape", "ROWS=33,COLUMNS=72"};
  const ProcessOutcome chosen = assay_program(hopper);
  EXPECT_EQ(chosen.exit_status, 0) << chosen.errors;
  EXPECT_NE(chosen.output.find("on vgpu:h100"), std::string::npos) << chosen.output;
  const ProcessOutcome plain = assay_program({"check", "kernels/softmax", "--shape", "ROWS=3,COLUMNS=72,dtype=f16"});
  EXPECT_NE(plain.output.find("on vgpu:l4"), std::string::npos) << plain.output << plain.errors;
  std::vector<std::string> given = hopper;
  given.insert(given.end(), {"--device", "vgpu:l4"});
  const ProcessOutcome refused = assay_program(given);
  EXPECT_EQ(refused.exit_status, 6);
  EXPECT_NE(refused.errors.find("needs tensor maps"), std::string::npos) << refused.errors;
}

// The kernels that are measured on an H200, from the prebuilt PTX.
TEST(Commands, HopperAttentionIsCorrectWithoutAGpu) {
  for (const char* kernel : {"kernels/attention/streaming", "kernels/attention/resident"}) {
    for (const char* shape :
         {"B=1,H=2,S=193,D=64,causal=true,dtype=f16", "B=2,H=1,S=257,D=64,causal=false,dtype=bf16"}) {
      const ProcessOutcome outcome =
          assay_program({"check", kernel, "--device", "vgpu:h200", "--shape", shape, "--json"});
      EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
      EXPECT_EQ(parsed(outcome)["verdict"], "correct") << kernel << " " << shape;
    }
  }
}

// Five blocks of keys in three stages: the copy of the fourth follows the product that read the first, which lane 0 of
// each warp says to be done.
TEST(Commands, HopperAttentionIsCleanWhereStagesAreUsedAgain) {
  const ProcessOutcome outcome = assay_program({"sanitize", "kernels/attention/streaming", "--device", "vgpu:h200",
                                                "--shape", "B=1,H=1,S=640,D=64,causal=false,dtype=f16", "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
}

// 270 pairs of tiles on 132 multiprocessors, middle tiles among them: all ways in which a block gets its next tile.
TEST(Commands, HopperAttentionSharesOutCausalTiles) {
  const ProcessOutcome outcome = assay_program({"check", "kernels/attention/streaming", "--device", "vgpu:h200",
                                                "--shape", "B=4,H=45,S=300,D=64,causal=true,dtype=f16", "--json"});
  EXPECT_EQ(parsed(outcome)["verdict"], "correct") << outcome.output << outcome.errors;
}

// Attention as serving engines call it: by tiles, by split keys and by streaming; and additions to a cache. And the
// kernel for many short sequences.
TEST(Commands, ServingAttentionIsCorrectWithoutAGpu) {
  for (const auto& [kernel, shape] :
       {std::pair{"serving", "B=3,H=1,G=2,M=70,S=100,D=64,dtype=f16,causal=true,packed=true,page=16,left=31,cap2=40"},
        std::pair{"serving", "B=3,H=1,G=3,M=2,S=300,D=128,dtype=bf16,causal=true,page=48,left=100,cluster=3"},
        std::pair{"serving", "B=3,H=1,G=2,M=200,S=150,D=64,dtype=f16,causal=true,packed=true,page=16,left=70,blocks=2"},
        std::pair{"pairs", "B=2,H=3,G=2,M=65,S=100,D=80,causal=true,dtype=bf16"},
        std::pair{"append", "B=3,N=5,H=2,D=80,S=33,page=16,lengths=true,first=7,dtype=f16"}}) {
    const ProcessOutcome outcome = assay_program(
        {"check", std::string("kernels/attention/") + kernel, "--device", "vgpu:h200", "--shape", shape, "--json"});
    EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
    EXPECT_EQ(parsed(outcome)["verdict"], "correct") << kernel << " " << shape;
  }
}

// The library's kernels for any strides and lengths: a tall and a short tile, head sizes through zeros, rows without
// keys.
TEST(Commands, WarpAttentionIsCleanAndCorrectWithoutAGpu) {
  for (const char* shape : {"B=1,H=1,G=2,M=130,S=150,D=64,dtype=f16,causal=true,tall=true",
                            "B=2,H=1,G=1,M=70,S=33,D=136,dtype=bf16,causal=true"}) {
    const ProcessOutcome checked =
        assay_program({"check", "kernels/attention/warp", "--device", "vgpu:h200", "--shape", shape, "--json"});
    EXPECT_EQ(parsed(checked)["verdict"], "correct") << shape << checked.output << checked.errors;
    const ProcessOutcome watched =
        assay_program({"sanitize", "kernels/attention/warp", "--device", "vgpu:l4", "--shape", shape, "--json"});
    EXPECT_EQ(parsed(watched)["verdict"], "clean") << shape << watched.output << watched.errors;
  }
}

// Copies in im2col mode: padding, strides and dilation, tiles of several images, channels that fill no stage.
TEST(Commands, TheConvolutionIsCleanAndCorrectWithoutAGpu) {
  const std::vector<std::string> words = {"kernels/convolution", "--device", "vgpu:h100", "--json"};
  const auto run = [&](std::vector<std::string> command) {
    command.insert(command.end(), words.begin(), words.end());
    return assay_program(command);
  };
  const ProcessOutcome checked = run({"check"});
  EXPECT_EQ(checked.exit_status, 0) << checked.output << checked.errors;
  EXPECT_EQ(parsed(checked)["verdict"], "correct");
  const ProcessOutcome sanitized = run({"sanitize"});
  EXPECT_EQ(sanitized.exit_status, 0) << sanitized.output << sanitized.errors;
  EXPECT_EQ(parsed(sanitized)["verdict"], "clean");
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
  EXPECT_GT(document["counts"]["prebuilt"].get<int>(), 0);
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

TEST(Commands, TheSameBitsAHundredTimesAreCalledValidated) {
  const std::vector<std::string> once = {"check", "kernels/softmax", "--shape", "ROWS=3,COLUMNS=72,dtype=f16"};
  const auto with = [&](const std::string& count) {
    std::vector<std::string> arguments = once;
    arguments.insert(arguments.end(), {"--repeat", count});
    return assay_program(arguments).output;
  };
  EXPECT_EQ(assay_program(once).output.find("validated"), std::string::npos);
  EXPECT_NE(with("3").find("the same bits in 3 launches"), std::string::npos);
  EXPECT_EQ(with("3").find("validated"), std::string::npos);
  EXPECT_NE(with("100").find("validated: the same bits in 100 launches"), std::string::npos);
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

TEST(Commands, AReportThatCannotBeWrittenCostsNoVerdict) {
  const ProcessOutcome outcome =
      assay_program({"run", "kernels/reduction", "--fuzz", "0", "--report", "/proc/no/such/report.json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  EXPECT_TRUE(outcome.output.ends_with("verdict: good\n")) << outcome.output;
  EXPECT_NE(outcome.errors.find("no report"), std::string::npos) << outcome.errors;
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
