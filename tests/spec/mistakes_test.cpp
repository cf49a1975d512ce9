// SPDX-License-Identifier: MIT
// All mistakes of a specification in one run.
#include "spec/reader/mistakes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "sample_spec.hpp"

namespace assay::spec {
namespace {

std::string text_of(const std::string& specification) {
  const auto spec = parse(specification, "kernel.toml", ".", {.check_files = false});
  return spec ? "no mistake" : to_string(spec.error());
}

std::string changed(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    EXPECT_NE(text.find(from), std::string::npos) << from;
    text = replace_all(std::move(text), from, to);
  }
  return text;
}

TEST(Mistakes, OneIsItself) {
  Mistakes mistakes;
  EXPECT_TRUE(mistakes.none());
  mistakes.add({"kernel.toml", 3, 4}, "wrong", "do this");
  EXPECT_EQ(to_string(mistakes.together()), "kernel.toml:3:4: wrong\n  hint: do this");
}

TEST(Mistakes, AreInTheOrderOfTheFileAndCounted) {
  Mistakes mistakes;
  mistakes.add({"kernel.toml", 30, 1}, "later", "a hint");
  mistakes.add({"kernel.toml", 3, 9}, "second");
  mistakes.add({"kernel.toml", 3, 4}, "first", "do this");
  mistakes.add({"kernel.toml", 3, 4}, "first");  // the same again
  EXPECT_EQ(mistakes.count(), 3u);
  EXPECT_EQ(to_string(mistakes.together()),
            "kernel.toml:3:4: first\n  hint: do this\n"
            "kernel.toml:3:9: second\n"
            "kernel.toml:30:1: later\n  hint: a hint\n"
            "3 mistakes");
}

TEST(Mistakes, AHundredAreNotShown) {
  Mistakes mistakes;
  for (int line = 1; line <= 100; ++line) mistakes.add({"kernel.toml", line, 1}, "wrong");
  const std::string text = to_string(mistakes.together());
  EXPECT_TRUE(text.ends_with("\nkernel.toml:20:1: wrong\n100 mistakes; the first 20 are shown")) << text;
}

TEST(Mistakes, OfEverySectionAreFoundInOneRun) {
  const std::string text =
      text_of(changed(kSampleText, {{"targets = [\"sm_80\", \"sm_90a\"]", "targets = \"sm_80\""},
                                    {"flops = \"4*S*D*", "flops = \"4*S*E*"},
                                    {"\"q\"\ntensor = { dtype = \"{dtype}\"", "\"q\"\ntensor = { dtype = \"f61\""},
                                    {"scalar = { type = \"bool\"", "scaler = { type = \"bool\""},
                                    {"block = [\"32*WARPS\"]", "block = 256"},
                                    {"WARPS = [4, 8]", "WARPS = [4, \"8\"]"}}));
  EXPECT_NE(text.find("hint: write targets = [\"sm_80\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("undefined name \"E\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"dtype\" of argument \"q\" is \"f61\""), std::string::npos) << text;
  EXPECT_NE(text.find("unknown key \"scaler\" in argument \"causal\"\n  hint: did you mean \"scalar\"?"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("hint: write block = [256]"), std::string::npos) << text;
  EXPECT_NE(text.find("\"WARPS\" has both words and numbers"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n6 mistakes")) << text;
}

TEST(Mistakes, OfNumbersAreFoundTogetherOncePerLine) {
  const std::string text =
      text_of(changed(kSampleText, {{"grid = [\"tiles\", 2]", "grid = [\"tiles\", \"S - S - 1\"]"},
                                    {"flops = \"4*S*D*(causal ? 0.5 : 1)\"", "flops = \"S/(D - D)\""}}));
  EXPECT_NE(text.find("division by zero"), std::string::npos) << text;
  EXPECT_NE(text.find("grid.y is -1"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n2 mistakes")) << text;
}

TEST(Mistakes, ASpecificationWithoutAnyIsRead) {
  EXPECT_EQ(text_of(kSampleText), "no mistake");
}

}  // namespace
}  // namespace assay::spec
