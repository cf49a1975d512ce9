// SPDX-License-Identifier: MIT
// Every word that a report prints has an explanation and a recipe, and every recipe belongs to a word.
#include "work/explanations.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "check/coverage.hpp"
#include "gpu/finding_kind.hpp"
#include "spec/kernel_spec.hpp"
#include "work/recipe_files.hpp"

namespace assay::work {
namespace {

bool explained(const std::string& kind, std::string_view name) {
  return std::ranges::any_of(explanations(), [&](const Explanation& each) {
    return each.kind == kind && each.name == name && !each.summary.empty() && !each.recipe.empty();
  });
}

std::set<std::string> recipes() {
  std::set<std::string> names;
  for (const EmbeddedFile& file : recipe_files())
    if (file.name != "README.md") names.emplace(file.name.substr(0, file.name.find('.')));
  return names;
}

TEST(Explanations, EveryKindOfFindingHasOne) {
  for (const gpu::FindingKindInfo& kind : gpu::finding_kinds())
    EXPECT_TRUE(explained("finding", kind.name)) << kind.name;
  EXPECT_FALSE(explained("finding", "nosuch"));
}

TEST(Explanations, EveryCheckHasOne) {
  const gpu::CheckSet checks = check::all_checks();
  for (const std::string& name : checks.names()) EXPECT_TRUE(explained("check", name)) << name;
}

TEST(Explanations, EveryExitCodeHasOne) {
  for (const char* code : {"0", "1", "2", "3", "4", "5", "6", "130", "143"}) EXPECT_TRUE(explained("exit code", code));
}

TEST(Explanations, EveryVerdictOfAKernelHasOne) {
  for (const std::string& verdict : spec::expected_verdicts()) EXPECT_TRUE(explained("result", verdict)) << verdict;
  for (const char* verdict : {"faster", "slower", "same", "inconclusive"})
    EXPECT_TRUE(explained("verdict", verdict)) << verdict;
}

TEST(Explanations, RecipesExistAndAllBelongToSomething) {
  const std::set<std::string> known = recipes();
  EXPECT_GT(known.size(), 10u);
  std::set<std::string> reached;
  for (const Explanation& each : explanations()) {
    EXPECT_TRUE(known.contains(each.recipe)) << each.name << ": " << each.recipe;
    if (each.kind != "recipe") reached.insert(each.recipe);
  }
  for (const std::string& recipe : known) EXPECT_TRUE(reached.contains(recipe)) << recipe << " belongs to no word";
}

TEST(Explanations, NamesOfAKindAreUnique) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Explanation& each : explanations()) EXPECT_TRUE(seen.emplace(each.kind, each.name).second) << each.name;
}

TEST(Explanations, NothingIsLeftToFillIn) {
  for (const Explanation& each : explanations()) EXPECT_EQ(each.fix.find('{'), std::string::npos) << each.name;
}

TEST(Explain, FindsANameHoweverItIsWritten) {
  for (const char* name : {"bank_conflicts", "Bank conflicts", " bank-conflicts "}) {
    const auto report = explain({name});
    ASSERT_TRUE(report.ok()) << name;
    EXPECT_EQ(report->explanations.front().recipe, "swizzle");
    EXPECT_NE(report->recipe_text.find("# Swizzles against bank conflicts"), std::string::npos);
  }
}

TEST(Explain, WordsOfReportsComeBeforeRecipes) {
  EXPECT_EQ(explain({"coalescing"})->explanations.front().kind, "figure");
  EXPECT_EQ(explain({"online_softmax"})->explanations.front().kind, "recipe");
}

TEST(Explain, WithoutANameItListsAll) {
  const auto report = explain({""});
  EXPECT_EQ(report->explanations.size(), explanations().size());
  EXPECT_EQ(report->recipe_text, "");
}

TEST(Explain, AnUnknownNameIsAnsweredWithTheNearest) {
  const auto report = explain({"misalinged"});
  ASSERT_FALSE(report.ok());
  EXPECT_NE(to_string(report.error()).find("did you mean 'misaligned'?"), std::string::npos);
  EXPECT_EQ(report.error().exit_code, ExitCode::usage);
  EXPECT_EQ(to_string(explain({"zzzzzzzzzzzz"}).error()).find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace assay::work
