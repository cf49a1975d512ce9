// SPDX-License-Identifier: MIT
#include "report/finding_text.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../support/temporary_folder.hpp"

namespace assay::report {
namespace {

using gpu::AccessKind;
using gpu::Finding;
using gpu::FindingKind;

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

Finding finding(const std::string& file, int line, uint32_t thread) {
  Finding made;
  made.kind = FindingKind::out_of_bounds;
  made.access = AccessKind::store;
  made.space = gpu::Space::global;
  made.address = 0x1000 + 4 * thread;
  made.bytes = 4;
  made.kernel = "copy";
  made.instruction = "st.global.f32 [%rd1], %f1;";
  made.ptx_line = 17;
  made.message = "a store of 4 bytes behind the end";
  made.allocation = "'y', 4 bytes behind its end";
  made.thread.x = thread;
  if (!file.empty()) made.source.push_back({file, line, 3, "store_row"});
  return made;
}

TEST(FindingsText, shows_the_line_the_thread_and_what_to_do) {
  const TemporaryFolder folder;
  const std::string file = folder.write("copy.cu", "first\n  y[i] = x[i];\nthird\n").string();
  Finding inlined = finding(file, 2, 32);
  inlined.source.push_back({file, 3, 1, "copy"});
  const std::string text = findings_text(Terminal(false), {inlined});
  EXPECT_TRUE(text.starts_with("out_of_bounds " + file + ":2\n")) << text;
  for (const std::string part :
       {"a store of 4 bytes behind the end", "> y[i] = x[i];\n", "st.global.f32", "kernel copy", "thread (32,1,1)",
        "address 0x1080", "'y', 4 bytes behind", "fix:", "(store_row)"}) {
    EXPECT_EQ(occurrences(text, part), 1u) << part << " in\n" << text;
  }
  EXPECT_EQ(occurrences(text, "inlined at " + file + ":3"), 1u) << text;
}

TEST(FindingsText, groups_what_is_on_one_line) {
  std::vector<Finding> findings;
  for (uint32_t thread = 0; thread < 9; ++thread) findings.push_back(finding("copy.cu", 5, thread));
  findings[1].count = 3;
  findings.push_back(finding("copy.cu", 6, 0));
  const std::string text = findings_text(Terminal(false), findings, 4);
  EXPECT_EQ(occurrences(text, "out_of_bounds "), 2u) << text;
  EXPECT_EQ(occurrences(text, "  block "), 4u + 1u) << text;
  EXPECT_EQ(occurrences(text, "and 5 more threads"), 1u) << text;
  EXPECT_EQ(occurrences(text, "11 occurrences in all"), 1u) << text;
  EXPECT_EQ(occurrences(text, "(3 times)"), 1u) << text;
}

TEST(FindingsText, keeps_different_mistakes_of_one_line_apart) {
  Finding load = finding("copy.cu", 5, 0);
  load.access = AccessKind::load;
  Finding misaligned = finding("copy.cu", 5, 0);
  misaligned.kind = FindingKind::misaligned;
  misaligned.bytes = 16;
  const std::string text = findings_text(Terminal(false), {finding("copy.cu", 5, 0), load, misaligned});
  EXPECT_EQ(occurrences(text, "copy.cu:5\n"), 3u) << text;
  EXPECT_EQ(occurrences(text, "multiple of 16:"), 1u) << text;
}

TEST(FindingsText, falls_back_to_the_line_of_the_ptx) {
  const std::string text = findings_text(Terminal(false), {finding("", 0, 0), finding("", 0, 1)});
  EXPECT_TRUE(text.starts_with("out_of_bounds PTX line 17\n")) << text;
  EXPECT_EQ(occurrences(text, "PTX line 17"), 1u) << text;
}

TEST(FindingsText, shows_no_address_for_what_is_no_access) {
  Finding trap = finding("copy.cu", 5, 0);
  trap.kind = FindingKind::trap;
  trap.access = AccessKind::none;
  EXPECT_EQ(occurrences(findings_text(Terminal(false), {trap}), "address"), 0u);
}

TEST(FindingsText, does_without_sources_that_cannot_be_read) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // reading it would wait for ever
  const std::string file = folder.write("short.cu", "one line\n").string();
  for (const auto& [name, line] : {std::pair{pipe.string(), 1},
                                   {folder.path().string(), 1},
                                   {std::string("missing.cu"), 1},
                                   {file, 99},
                                   {file, 0},
                                   {file, -4}}) {
    const std::string text = findings_text(Terminal(false), {finding(name, line, 0)});
    EXPECT_EQ(occurrences(text, "  > "), 0u) << text;
    EXPECT_EQ(occurrences(text, "out_of_bounds"), 1u);
  }
}

TEST(FindingsText, uses_colours_if_there_are_any) {
  const std::string text = findings_text(Terminal(true), {finding("copy.cu", 5, 0)});
  EXPECT_EQ(occurrences(text, "\x1b[31mout_of_bounds\x1b[0m"), 1u) << text;
  EXPECT_EQ(occurrences(findings_text(Terminal(false), {finding("copy.cu", 5, 0)}), "\x1b"), 0u);
}

TEST(FindingsText, has_nothing_to_say_about_nothing) {
  EXPECT_EQ(findings_text(Terminal(true), {}), "");
}

TEST(FindingsText, claims_no_thread_where_a_gpu_told_none) {
  Finding fault;
  fault.kind = FindingKind::illegal_address;
  fault.kernel = "copy";
  fault.message = "an access to memory that is not mapped";
  const std::string text = findings_text(Terminal(false), {fault});
  EXPECT_EQ(text, "illegal_address in kernel copy\n  an access to memory that is not mapped\n");
}

}  // namespace
}  // namespace assay::report
