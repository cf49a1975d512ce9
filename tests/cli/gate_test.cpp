// SPDX-License-Identifier: MIT
// assay gate on exact counters, and what the measuring commands say without a GPU.
#include <filesystem>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStep = "mov.u32 \t%r43, 16;";  // before the first shuffle of a row's sum

// A copy of a shipped kernel, as another checkout has it, whose carried PTX can be changed.
class GateCommand : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path kernels = fs::path(ASSAY_SOURCE_DIR) / "kernels";
    for (const char* name : {"reduction", "primitives"})
      fs::copy(kernels / name, folder_.path() / name, fs::copy_options::recursive);
  }
  void change(const std::string& replacement) const {
    const fs::path file = folder_.path() / "reduction/ptx/reduction.sm_89.ptx";
    const auto text = read_file(file);
    ASSERT_TRUE(text.ok());
    ASSERT_NE(text->find(kStep), std::string::npos) << "the carried PTX looks different now";
    const std::string changed = replace_all(*text, kStep, replacement);
    ASSERT_TRUE(write_file_atomically(file, changed).ok());
    // What describes it names its hash: this is what make carry would write.
    const fs::path description = folder_.path() / "reduction/ptx/reduction.sm_89.json";
    auto document = nlohmann::json::parse(*read_file(description));
    ASSERT_TRUE(document.contains("ptx_hash"));
    document["ptx_hash"] = content_hash(changed);
    ASSERT_TRUE(write_file_atomically(description, document.dump(2)).ok());
  }
  ProcessOutcome gate(std::vector<std::string> more) const {
    std::vector<std::string> arguments{
        "gate",     (folder_.path() / "reduction").string(),    "--device", "vgpu:l4", "--shape", "ROWS=2,COLUMNS=513",
        "--ledger", (folder_.path() / "ledger.sqlite").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return assay_program(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(GateCommand, TheSameKernelPasses) {
  const ProcessOutcome outcome = gate({"--against", "kernels/reduction", "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  EXPECT_EQ(parsed(outcome)["verdict"], "PASS");
}

TEST_F(GateCommand, MoreInstructionsAreARegression) {
  std::string longer = kStep;
  for (int i = 0; i < 8; ++i) longer += std::string("\n\t") + kStep;
  change(longer);
  const fs::path junit = folder_.path() / "gate.xml";
  const fs::path markdown = folder_.path() / "gate.md";
  const ProcessOutcome outcome =
      gate({"--against", "kernels/reduction", "--json", "--junit", junit.string(), "--markdown", markdown.string()});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.output << outcome.errors;
  EXPECT_EQ(parsed(outcome)["verdict"], "REGRESSION");
  EXPECT_NE(read_file(junit)->find("<failure"), std::string::npos);
  EXPECT_NE(read_file(markdown)->find("instructions"), std::string::npos);
  // Fewer are none: seen from the longer kernel, the shipped one is an improvement.
  const ProcessOutcome back =
      assay_program({"gate", "kernels/reduction", "--device", "vgpu:l4", "--shape", "ROWS=2,COLUMNS=513", "--against",
                     (folder_.path() / "reduction").string(), "--json", "--ledger", "none"});
  EXPECT_EQ(back.exit_status, 0) << back.errors;
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
  std::string longer = kStep;
  for (int i = 0; i < 8; ++i) longer += std::string("\n\t") + kStep;
  change(longer);
  const ProcessOutcome outcome = gate({"--against", "main"});
  EXPECT_EQ(outcome.exit_status, 3) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("counted exactly"), std::string::npos) << outcome.output;
}

TEST_F(GateCommand, CountersHaveNoLeaderboard) {
  const ProcessOutcome outcome = gate({});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("--save"), std::string::npos) << outcome.errors;
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
