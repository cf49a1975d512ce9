// SPDX-License-Identifier: MIT
// assay suite as far as it goes without a GPU.
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "assay_program.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

TEST(SuiteCommand, WithoutAGpuItSaysWhatIsMissing) {
  const ProcessOutcome outcome = assay_program({"suite", "suites/kernels.toml"});
  EXPECT_EQ(outcome.exit_status, 6);
  EXPECT_NE(outcome.errors.find("suite measures time, and vgpu:l4 has none of its own"), std::string::npos)
      << outcome.errors;
  EXPECT_NE(outcome.errors.find("NVIDIA GPU"), std::string::npos);
  EXPECT_EQ(outcome.output, "");
  const ProcessOutcome as_json = assay_program({"suite", "suites/kernels.toml", "--json"});
  EXPECT_EQ(as_json.exit_status, 6);
  EXPECT_EQ(parsed(as_json)["exit_code"], 6);
}

TEST(SuiteCommand, AMistakeComesBeforeTheMissingGpu) {
  const TemporaryFolder folder;
  const auto file = folder.write("s.toml", "[suite]\nname = \"s\"\n[[kernel]]\nfoldr = \"a\"\n");
  const ProcessOutcome outcome = assay_program({"suite", file.string()});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("s.toml:4:1: unknown key \"foldr\" in [[kernel]] number 1"), std::string::npos)
      << outcome.errors;
  EXPECT_NE(outcome.errors.find("did you mean \"folder\"?"), std::string::npos);
  EXPECT_EQ(assay_program({"suite", "no/such/file.toml"}).exit_status, 2);
  EXPECT_EQ(assay_program({"suite"}).exit_status, 2);
  EXPECT_EQ(assay_program({"suite", "suites/kernels.toml", "--format", "pdf"}).exit_status, 2);
}

TEST(SuiteCommand, ListsWhatItWouldMeasure) {
  const ProcessOutcome outcome = assay_program({"suite", "suites/kernels.toml", "--list", "--json"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  const json document = parsed(outcome);
  EXPECT_EQ(document["command"], "suite");
  EXPECT_EQ(document["suite"], "kernels");
  EXPECT_EQ(document["items"], 34);
  EXPECT_EQ(document["plan"].size(), 34u);
  EXPECT_EQ(document["plan"][0]["kernel"], "gemm");
  EXPECT_EQ(document["plan"][0]["baselines"], json::array({"torch_compile"}));
  const ProcessOutcome text = assay_program({"suite", "suites/attention.toml", "--list"});
  EXPECT_EQ(text.exit_status, 0) << text.errors;
  EXPECT_NE(text.output.find("sdpa, sdpa:flash, sdpa:cudnn"), std::string::npos);
}

TEST(SuiteCommand, ANamedLedgerThatCannotBeUsedIsNoReasonToMissTheGpu) {
  // The GPU is looked for first: nothing is written on a machine that cannot measure.
  const TemporaryFolder folder;
  EXPECT_EQ(
      assay_program({"suite", "suites/kernels.toml", "--ledger", (folder.path() / "l.sqlite").string()}).exit_status,
      6);
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
}  // namespace assay::cli
