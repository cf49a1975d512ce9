// SPDX-License-Identifier: MIT
#include "evolve/diff.hpp"

#include <gtest/gtest.h>

#include "evidence/unified_diff.hpp"

namespace assay::evolve {
namespace {

const Files kFiles{{"a.cu", "one\ntwo\nthree\nfour\nfive\n"}, {"b.cuh", "x\n"}};

std::string message_of(const std::string& diff) {
  const auto applied = apply_diff(kFiles, diff);
  return applied ? "" : applied.error().message;
}

TEST(Diff, WhatIsMadeCanBeApplied) {
  Files after = kFiles;
  after["a.cu"] = "one\ntwo\n2.5\nthree\nFOUR\nfive\n";
  after["c.cuh"] = "new\nfile\n";
  const auto applied = apply_diff(kFiles, evidence::unified_diff(kFiles, after));
  ASSERT_TRUE(applied.ok()) << to_string(applied.error());
  EXPECT_EQ(applied->at("a.cu"), after["a.cu"]);
  EXPECT_EQ(applied->at("c.cuh"), after["c.cuh"]);
  EXPECT_EQ(applied->size(), 2u) << "files that stay are not named";
  EXPECT_EQ(evidence::unified_diff(kFiles, kFiles), "");
}

TEST(Diff, AHunkMayHaveMoved) {
  const auto applied = apply_diff(kFiles, "--- a/a.cu\n+++ b/a.cu\n@@ -1,2 +1,2 @@\n four\n-five\n+FIVE\n");
  ASSERT_TRUE(applied.ok()) << to_string(applied.error());
  EXPECT_EQ(applied->at("a.cu"), "one\ntwo\nthree\nfour\nFIVE\n");
}

TEST(Diff, GitsFormIsRead) {
  const auto applied = apply_diff(kFiles,
                                  "diff --git a/a.cu b/a.cu\nindex 123..456 100644\n--- a/a.cu\n+++ b/a.cu\n"
                                  "@@ -1 +1 @@ kernel\n-one\n+ONE\n\\ No newline at end of file\n");
  ASSERT_TRUE(applied.ok()) << to_string(applied.error());
  EXPECT_EQ(applied->at("a.cu"), "ONE\ntwo\nthree\nfour\nfive\n");
}

TEST(Diff, LineEndsOfAnotherSystem) {
  const auto applied = apply_diff(kFiles, "--- a/a.cu\r\n+++ b/a.cu\r\n@@ -1,2 +1,2 @@\r\n one\r\n-two\r\n+TWO\r\n");
  ASSERT_TRUE(applied.ok()) << to_string(applied.error());
  EXPECT_EQ(applied->at("a.cu"), "one\nTWO\nthree\nfour\nfive\n");
  const Files windows{{"w.cu", "one\r\ntwo\r\n"}};
  const auto kept = apply_diff(windows, "--- a/w.cu\n+++ b/w.cu\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n");
  ASSERT_TRUE(kept.ok()) << to_string(kept.error());
  EXPECT_EQ(kept->at("w.cu"), "one\r\nTWO\r\n") << "a file that has them keeps them";
}

TEST(Diff, WhatDoesNotFitIsNamed) {
  EXPECT_NE(message_of("--- a/a.cu\n+++ b/a.cu\n@@ -1,1 +1,1 @@\n-six\n+SIX\n").find("hunk 1 does not fit 'a.cu'"),
            std::string::npos);
  EXPECT_NE(message_of("--- a/z.cu\n+++ b/z.cu\n@@ -1,1 +1,1 @@\n-one\n+ONE\n").find("no file 'z.cu'"),
            std::string::npos);
  EXPECT_NE(message_of("--- /dev/null\n+++ b/a.cu\n@@ -0,0 +1,1 @@\n+x\n").find("there already"), std::string::npos);
  EXPECT_NE(message_of("--- a/a.cu\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n").find("removed"), std::string::npos);
  EXPECT_NE(message_of("--- a/a.cu\n+++ b/c.cu\n@@ -1,1 +1,1 @@\n-one\n+ONE\n").find("would become"),
            std::string::npos);
  EXPECT_NE(message_of("diff --git a/l.cuh b/l.cuh\nnew file mode 120000\n--- /dev/null\n+++ b/l.cuh\n@@ -0,0 +1 @@\n"
                       "+/etc/passwd\n")
                .find("not allowed"),
            std::string::npos)
      << "a symbolic link";
  EXPECT_NE(message_of("Binary files a/a.cu and b/a.cu differ\n").find("not allowed"), std::string::npos);
  EXPECT_NE(message_of("rename from a.cu\nrename to c.cu\n").find("not allowed"), std::string::npos);
  EXPECT_NE(message_of("--- a/a.cu\n+++ b/a.cu\n@@ -1,3 +1,3 @@\n-one\n+ONE\n").find("other lines than its head"),
            std::string::npos);
  for (const char* nonsense : {"", "hello", "@@ -1 +1 @@\n", "--- a/a.cu\n", "--- a/a.cu\n+++ b/a.cu\n",
                               "--- a/a.cu\n+++ b/a.cu\n@@ x y z @@\n", "--- \n+++ \n@@ -1 +1 @@\n-\n+\n",
                               "--- a/a.cu\n+++ b/a.cu\n@@ -99999999999999999999 +1 @@\n"})
    EXPECT_NE(message_of(nonsense), "") << nonsense;
}

}  // namespace
}  // namespace assay::evolve
