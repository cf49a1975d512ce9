// SPDX-License-Identifier: MIT
#include "evidence/unified_diff.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/random.hpp"

namespace assay::evidence {
namespace {

TEST(UnifiedDiff, is_that_of_diff) {
  EXPECT_EQ(unified_diff("a\nb\nc\n", "a\nB\nc\n", "f"), "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  EXPECT_EQ(unified_diff("", "x\n", "f"), "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
  EXPECT_EQ(unified_diff("x\n", "", "f"), "--- a/f\n+++ b/f\n@@ -1 +0,0 @@\n-x\n");
  EXPECT_EQ(unified_diff("same\n", "same\n", "f"), "");
  EXPECT_EQ(unified_diff("x", "x\n", "f"), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
}

TEST(UnifiedDiff, files_of_one_side_come_from_or_go_to_nothing) {
  const std::string diff = unified_diff(std::map<std::string, std::string>{{"gone.cu", "1\n"}, {"kept.cu", "k\n"}},
                                        {{"kept.cu", "k\n"}, {"new.cu", "2\n"}});
  EXPECT_EQ(diff, "--- a/gone.cu\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- /dev/null\n+++ b/new.cu\n@@ -0,0 +1 @@\n+2\n");
}

std::string random_text(Random& random, size_t lines) {
  std::string text;
  for (size_t i = 0; i < lines; ++i) text += std::string(1, static_cast<char>('a' + random.below(4))) + "\n";
  if (random.below(4) == 0 && !text.empty()) text.pop_back();
  return text;
}

TEST(UnifiedDiff, patch_makes_the_one_from_the_other) {
  if (find_program("patch").empty()) GTEST_SKIP() << "there is no patch(1)";
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const TemporaryFolder folder;
    const std::string before = random_text(random, random.below(30)), after = random_text(random, random.below(30));
    folder.write("f", before);
    const std::string diff = unified_diff(before, after, "f");
    if (diff.empty()) continue;
    folder.write("changes.diff", diff);
    Command command;
    command.arguments = {"patch", "-p1", "-s", "-i", "changes.diff"};
    command.folder = folder.path();
    const auto outcome = run(command);
    ASSERT_TRUE(outcome.ok() && outcome->succeeded()) << outcome->output << outcome->errors << diff;
    const auto made = read_file(folder.path() / "f");
    EXPECT_EQ(made ? *made : "", after) << diff;  // patch removes what becomes empty
  }
}

TEST(UnifiedDiff, bytes_are_not_shown) {
  EXPECT_EQ(unified_diff(std::string("a\0b", 3), "text\n", "f"), "Binary files a/f and b/f differ\n");
}

TEST(UnifiedDiff, far_apart_texts_are_replaced_whole) {
  std::string before, after;
  for (int i = 0; i < 5000; ++i) before += "a" + std::to_string(i) + "\n", after += "b" + std::to_string(i) + "\n";
  const std::string diff = unified_diff(before, after, "f");
  EXPECT_NE(diff.find("@@ -1,5000 +1,5000 @@"), std::string::npos);
}

}  // namespace
}  // namespace assay::evidence
