// SPDX-License-Identifier: MIT
// assay explain as a user calls it.
#include <gtest/gtest.h>

#include "assay_program.hpp"
#include "base/file.hpp"

namespace assay::cli {
namespace {

TEST(Explain, PrintsTheMeaningAndTheWholeRecipe) {
  const ProcessOutcome outcome = assay_program({"explain", "misaligned"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.output.find("misaligned (finding): An access whose address is not a multiple of its size"), 0u);
  EXPECT_NE(outcome.output.find("fix: an access of N bytes"), std::string::npos);
  EXPECT_NE(outcome.output.find("recipe: docs/cookbook/misaligned_copy.md"), std::string::npos);
  EXPECT_TRUE(outcome.output.ends_with(*read_file(ASSAY_SOURCE_DIR "/docs/cookbook/misaligned_copy.md")));
}

TEST(Explain, TakesNamesOfSeveralWords) {
  EXPECT_EQ(assay_program({"explain", "bank", "conflicts"}).exit_status, 0);
}

TEST(Explain, ListsEveryKind) {
  const std::string text = assay_program({"explain"}).output;
  for (const char* name : {"misaligned", "racecheck", "wrong_value", "fingerprint", "coalescing", "regression",
                           "first_verdict", "exit code"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
}

TEST(Explain, UnknownNamesAreMistakesOfUsage) {
  const ProcessOutcome outcome = assay_program({"explain", "deadlok"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("did you mean 'deadlock'?"), std::string::npos) << outcome.errors;
}

TEST(Explain, HasADocument) {
  const nlohmann::json one = parsed(assay_program({"explain", "5", "--json"}));
  EXPECT_EQ(one["command"], "explain");
  EXPECT_EQ(one["explanations"].size(), 1u);
  EXPECT_EQ(one["explanations"][0]["kind"], "exit code");
  EXPECT_EQ(one["explanations"][0]["recipe"], "first_verdict");
  EXPECT_EQ(one["recipe_text"].get<std::string>().find("# A first verdict"), 0u);
  const nlohmann::json all = parsed(assay_program({"explain", "--json"}));
  EXPECT_GT(all["explanations"].size(), 60u);
  EXPECT_FALSE(all.contains("recipe_text"));
}

}  // namespace
}  // namespace assay::cli
