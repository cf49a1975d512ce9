// SPDX-License-Identifier: MIT
#include "suite/plan.hpp"

#include <gtest/gtest.h>

#include "suite/source_state.hpp"
#include "suite_files.hpp"

namespace assay::suite {
namespace {

const std::string kSuiteHead = "[suite]\nname = \"s\"\n[[kernel]]\nfolder = \"a\"\n";  // the next line is line 5

std::vector<std::string> shapes_of(const Group& group) {
  std::vector<std::string> shapes;
  for (const Item& item : group.items) shapes.push_back(item.shape.text() + (item.skipped.empty() ? "" : " skipped"));
  return shapes;
}

class PlanTest : public testing::Test {
 protected:
  Plan plan(const std::string& text) const {
    auto made = files_.plan(text);
    EXPECT_TRUE(made.ok()) << to_string(made.error());
    return made.ok() ? std::move(*made) : Plan{};
  }
  std::string mistake(const std::string& text) const {
    const auto made = files_.plan(text);
    EXPECT_FALSE(made.ok()) << text;
    return made.ok() ? "" : to_string(made.error());
  }

  SuiteFiles files_;
};

TEST_F(PlanTest, ACanonicalSetWithDefaults) {
  const Plan made = plan(kSuiteHead);
  ASSERT_EQ(made.groups.size(), 1u);
  EXPECT_EQ(made.groups[0].kernel(), "a");
  EXPECT_EQ(made.groups[0].configuration.id(), "BLOCK=64");
  EXPECT_EQ(shapes_of(made.groups[0]),
            (std::vector<std::string>{"N=64,causal=false,dtype=f32", "N=1024,causal=false,dtype=f16"}));
  EXPECT_EQ(made.groups[0].items[0].dtype(), "f32");
  EXPECT_EQ(made.item_count(), 2u);
}

TEST_F(PlanTest, ConfigurationsTimesShapesTimesTypes) {
  const Plan made =
      plan(kSuiteHead + "configurations = \"all\"\nshapes = { N = [64, 1088] }\ndtypes = [\"f16\", \"bf16\"]\n");
  ASSERT_EQ(made.groups.size(), 2u);
  EXPECT_EQ(shapes_of(made.groups[0]),
            (std::vector<std::string>{"N=64,causal=false,dtype=f16", "N=64,causal=false,dtype=bf16",
                                      "N=1088,causal=false,dtype=f16", "N=1088,causal=false,dtype=bf16"}));
  // 1088 is no multiple of 128: the second configuration does not apply.
  EXPECT_EQ(shapes_of(made.groups[1])[2], "N=1088,causal=false,dtype=f16 skipped");
  EXPECT_NE(made.groups[1].items[2].skipped.find("does not hold"), std::string::npos);
  EXPECT_EQ(made.item_count(), 8u);
  EXPECT_EQ(made.runnable_count(), 6u);
}

TEST_F(PlanTest, GridsLeaveOutWhatConstraintsExcludeAndListsDoNot) {
  EXPECT_EQ(shapes_of(plan(kSuiteHead + "shapes = { N = [12, 13] }\n").groups[0]),
            (std::vector<std::string>{"N=12,causal=false,dtype=f32"}));
  EXPECT_EQ(plan(kSuiteHead + "shapes = \"edges\"\n").item_count(), 4u);
  const std::string message = mistake(kSuiteHead + "shapes = [{ N = 13 }]\n");
  EXPECT_NE(message.find("suite.toml:5:11: "), std::string::npos) << message;
  EXPECT_NE(message.find("breaks the constraint"), std::string::npos) << message;
  EXPECT_NE(mistake(kSuiteHead + "shapes = { N = 13 }\n").find("every shape breaks a constraint"), std::string::npos);
}

TEST_F(PlanTest, AnItemThatOccursTwiceIsThereOnce) {
  EXPECT_EQ(plan(kSuiteHead + "shapes = [{ N = 64 }, { N = 64, causal = false }]\n").item_count(), 1u);
  EXPECT_EQ(plan(kSuiteHead + "[[kernel]]\nfolder = \"a\"\n").item_count(), 2u);
  EXPECT_EQ(plan(kSuiteHead + "[[kernel]]\nfolder = \"a\"\ncache = \"cold\"\n").item_count(), 4u);
  EXPECT_EQ(plan(kSuiteHead + "configurations = [\"default\", \"BLOCK=64\"]\n").groups.size(), 1u);
}

TEST_F(PlanTest, BaselinesAreNamesOrFoldersBesideTheFile) {
  const Plan made = plan(kSuiteHead + "baselines = [\"mine\", \"sdpa:flash\", \"torch_compile\", \"b\"]\n");
  const std::vector<std::string>& names = made.groups[0].baselines;
  ASSERT_EQ(names.size(), 4u);
  EXPECT_EQ(names[0], "mine");
  EXPECT_EQ(names[3], (files_.folder().path() / "b").string());
}

TEST_F(PlanTest, ACandidateTakesTheKernelsPlace) {
  const Plan made = plan(kSuiteHead + "candidate = \"mine\"\n");
  EXPECT_EQ(made.groups[0].candidate, "mine");
  EXPECT_EQ(made.groups[0].kernel(), "a:mine");
  EXPECT_NE(made.groups[0].items[0].key, plan(kSuiteHead).groups[0].items[0].key);
  EXPECT_NE(made.meaning, plan(kSuiteHead).meaning);
  EXPECT_NE(mistake(kSuiteHead + "candidate = \"nobody\"\n").find("suite.toml:5:13"), std::string::npos);
  EXPECT_NE(mistake(kSuiteHead + "candidate = \"mine\"\nconfigurations = \"all\"\n").find("suite.toml:6:18"),
            std::string::npos);
}

TEST_F(PlanTest, AChangedProgramOfABaselineChangesTheKeys) {
  const std::string program = "[baseline.script]\nprovider = \"python\"\nfile = \"../script.py\"\nfunction = \"f\"\n";
  files_.folder().write("a/kernel.toml", kernel_text("a") + program);
  files_.folder().write("script.py", "one\n");
  const Plan candidate = plan(kSuiteHead + "candidate = \"script\"\n");
  const Plan baseline = plan(kSuiteHead + "baselines = [\"script\"]\n");
  files_.folder().write("script.py", "two\n");
  EXPECT_NE(candidate.groups[0].items[0].key, plan(kSuiteHead + "candidate = \"script\"\n").groups[0].items[0].key);
  EXPECT_NE(baseline.groups[0].items[0].key, plan(kSuiteHead + "baselines = [\"script\"]\n").groups[0].items[0].key);
}

TEST_F(PlanTest, MistakesAboutAKernelHaveThePlaceInTheSuite) {
  const auto expect = [&](const std::string& rest, const std::string& expected) {
    const std::string message = mistake(kSuiteHead + rest);
    EXPECT_NE(message.find(expected), std::string::npos) << message << "\nexpected: " << expected;
  };
  expect("shapes = \"big\"\n", "suite.toml:5:10: the kernel \"a\" has no shapes \"big\"");
  expect("shapes = [{ M = 64 }]\n", "suite.toml:5:13: the kernel \"a\" has no dimension \"M\"");
  expect("shapes = [{ N = true }]\n", "suite.toml:5:17: \"N\" is a boolean; expected an integer");
  expect("shapes = { N = [1, true] }\n", "suite.toml:5:20: \"N\" is a boolean; expected an integer");
  expect("shapes = [{ causal = true }]\n", "suite.toml:5:11: the shape has no \"N\", which the kernel \"a\" needs");
  expect("configurations = \"BLOCK=63\"\n", "suite.toml:5:18: ");
  expect("configurations = [\"default\", \"TILE=1\"]\n", "suite.toml:5:30: ");
  expect("baselines = [\"nobody\"]\n", "suite.toml:5:14: there is no baseline 'nobody'");
  expect("[[kernel]]\nfolder = \"nowhere\"\n", "suite.toml:6:10: ");
}

TEST_F(PlanTest, AKernelWithoutTypesCannotHaveThemSet) {
  std::string text = kernel_text("c");
  for (const std::string from : {"defaults = { dtype = \"f32\" }\n", ", dtype = \"f16\""})
    text.erase(text.find(from), from.size());
  for (int i = 0; i < 2; ++i) text.replace(text.find("{dtype}"), 7, "f32");
  files_.folder().write("c/kernel.toml", text);
  files_.folder().write("c/k.cu", "");
  const std::string head = "[suite]\nname = \"s\"\n[[kernel]]\nfolder = \"c\"\n";
  EXPECT_EQ(plan(head).groups[0].items[0].dtype(), "");
  EXPECT_NE(mistake(head + "dtypes = [\"f16\"]\n").find("suite.toml:5:10: the kernel \"c\" has no dimension \"dtype\""),
            std::string::npos);
}

TEST_F(PlanTest, AMistakeInAKernelSaysWhoNamedIt) {
  files_.folder().write("a/kernel.toml", "[kernel]\nnmae = 1\n");
  const std::string message = mistake(kSuiteHead);
  EXPECT_NE(message.find("kernel.toml:2:1"), std::string::npos) << message;
  EXPECT_NE(message.find("suite.toml:4:10 names this kernel"), std::string::npos) << message;
}

TEST_F(PlanTest, NothingThatCanRunIsAMistake) {
  EXPECT_NE(mistake(kSuiteHead + "shapes = [{ N = 1001 }]\n").find("nothing of this suite can run"), std::string::npos);
}

TEST_F(PlanTest, TooManyItemsAreRefusedBeforeTheyAreMade) {
  std::string list;
  for (int i = 1; i <= 200; ++i) list += std::to_string(2 * i) + ",";
  const std::string message =
      mistake(kSuiteHead + "configurations = \"all\"\nshapes = { N = [" + list +
              "], causal = [false, true], dtype = [\"f16\", \"f32\", \"bf16\", \"f64\", \"i8\", "
              "\"i16\", \"i32\", \"i64\", \"u8\", \"u16\", \"u32\", \"u64\", \"e4m3\", \"e5m2\"] }\n" +
              "[[kernel]]\nfolder = \"a\"\ncache = \"cold\"\nconfigurations = \"all\"\n" + "shapes = { N = [" + list +
              "], causal = [false, true], dtype = [\"f16\", \"f32\", \"bf16\", \"f64\", \"i8\", "
              "\"i16\", \"i32\", \"i64\", \"u8\", \"u16\", \"u32\", \"u64\", \"e4m3\", \"e5m2\"] }\n");
  EXPECT_NE(message.find("more than 20000 items"), std::string::npos) << message;
}

TEST_F(PlanTest, TheMeaningIgnoresCommentsAndOrderOfKeysAndNothingElse) {
  const std::string meaning = plan(kSuiteHead + "cache = \"warm\"\nsets = 4\n").meaning;
  EXPECT_EQ(plan("# a comment\n" + kSuiteHead + "sets = 4\ncache = \"warm\"\n").meaning, meaning);
  EXPECT_EQ(plan(kSuiteHead).meaning, meaning);
  EXPECT_NE(plan(kSuiteHead + "cache = \"cold\"\n").meaning, meaning);
  EXPECT_NE(plan(kSuiteHead + "sets = 5\n").meaning, meaning);
  EXPECT_NE(plan(kSuiteHead + "baselines = [\"mine\"]\n").meaning, meaning);
  EXPECT_NE(plan(kSuiteHead + "shapes = \"edges\"\n").meaning, meaning);
  EXPECT_NE(plan(kSuiteHead + "configurations = \"BLOCK=128\"\n").meaning, meaning);
}

TEST_F(PlanTest, AChangedSourceChangesTheKeysOfItsItemsAlone) {
  const std::string text = kSuiteHead + "[[kernel]]\nfolder = \"b\"\n";
  const Plan before = plan(text);
  files_.folder().write("a/header.cuh", "// new\n");
  const Plan after = plan(text);
  EXPECT_EQ(before.meaning, after.meaning);
  EXPECT_NE(before.groups[0].items[0].key, after.groups[0].items[0].key);
  EXPECT_EQ(before.groups[1].items[0].key, after.groups[1].items[0].key);
  files_.folder().write("b/notes.md", "text\n");
  EXPECT_EQ(plan(text).groups[1].items[0].key, after.groups[1].items[0].key);
}

TEST_F(PlanTest, AChangedBaselineFolderChangesTheKeys) {
  const std::string text = kSuiteHead + "baselines = [\"b\"]\n";
  const Plan before = plan(text);
  files_.folder().write("b/k.cu", "// another kernel\n");
  EXPECT_NE(before.groups[0].items[0].key, plan(text).groups[0].items[0].key);
}

TEST(ShippedSuites, AreInOrder) {
  for (const char* name : {"attention", "attention_table", "kernels"}) {
    const auto suite = load(std::string(ASSAY_SOURCE_DIR) + "/suites/" + name + ".toml");
    ASSERT_TRUE(suite.ok()) << to_string(suite.error());
    const auto made = make_plan(*suite);
    ASSERT_TRUE(made.ok()) << to_string(made.error());
    EXPECT_EQ(made->name, name);
    EXPECT_EQ(made->item_count(), made->runnable_count());
  }
}

}  // namespace
}  // namespace assay::suite
