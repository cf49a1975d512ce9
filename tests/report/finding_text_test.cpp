// SPDX-License-Identifier: MIT
#include "report/finding_text.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../support/temporary_folder.hpp"
#include "gpu/finding_list.hpp"

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
  const std::string text = findings_text(Terminal(false), {inlined}, folder.path());
  EXPECT_TRUE(text.starts_with(file + ":2:3: out_of_bounds: a store of 4 bytes behind the end\n")) << text;
  for (const std::string part : {"> y[i] = x[i];\n", "st.global.f32", "kernel copy", "thread (32,1,1)",
                                 "address 0x1080", "'y', 4 bytes behind", "fix:", "(store_row)"}) {
    EXPECT_EQ(occurrences(text, part), 1u) << part << " in\n" << text;
  }
  EXPECT_EQ(occurrences(text, "inlined at " + file + ":3"), 1u) << text;
}

TEST(FindingsText, says_nothing_of_an_allocation_that_is_not_known) {
  Finding race = finding("copy.cu", 5, 0);
  race.allocation.clear();
  const std::string text = findings_text(Terminal(false), {race}, "");
  EXPECT_EQ(occurrences(text, "address 0x1000\n"), 1u) << text;
}

TEST(FindingsText, counts_the_threads_of_one_place) {
  gpu::FindingList list;
  for (uint32_t thread = 0; thread < 9; ++thread) list.add(finding("copy.cu", 5, thread));
  list.add(finding("copy.cu", 5, 1));
  list.add(finding("copy.cu", 6, 0));
  const std::string text = findings_text(Terminal(false), list.findings(), "", 4);
  EXPECT_EQ(occurrences(text, ": out_of_bounds: "), 2u) << text;
  EXPECT_EQ(occurrences(text, "  block "), 4u + 1u) << text;
  EXPECT_EQ(occurrences(text, "and 5 more threads"), 1u) << text;
  EXPECT_EQ(occurrences(text, "10 occurrences in all"), 1u) << text;
  EXPECT_EQ(occurrences(text, "(2 times)"), 1u) << text;
  EXPECT_EQ(findings_count(list.findings(), list.occurrences()), "2 findings (10 threads, 11 occurrences)");
}

TEST(FindingsText, says_how_to_mend_an_access_of_this_size) {
  Finding misaligned = finding("copy.cu", 5, 0);
  misaligned.kind = FindingKind::misaligned;
  misaligned.bytes = 16;
  const std::string text = findings_text(Terminal(false), {misaligned}, "");
  EXPECT_EQ(occurrences(text, "multiple of 16:"), 1u) << text;
  EXPECT_EQ(occurrences(text, "{bytes}"), 0u) << text;
}

TEST(FindingsText, falls_back_to_the_line_of_the_ptx) {
  const std::string text = findings_text(Terminal(false), {finding("", 0, 0)}, "");
  EXPECT_TRUE(text.starts_with("line 17 of the PTX: out_of_bounds: ")) << text;
}

TEST(FindingsText, shows_notes_a_line_each) {
  Finding deadlock = finding("copy.cu", 5, 0);
  deadlock.notes = {"warp 0 waits", "warp 1 ended"};
  const std::string text = findings_text(Terminal(false), {deadlock}, "");
  EXPECT_EQ(occurrences(text, "\n  warp 0 waits\n  warp 1 ended\n"), 1u) << text;
}

TEST(FindingsText, shows_no_address_for_what_is_no_access) {
  Finding trap = finding("copy.cu", 5, 0);
  trap.kind = FindingKind::trap;
  trap.access = AccessKind::none;
  EXPECT_EQ(occurrences(findings_text(Terminal(false), {trap}, ""), "address"), 0u);
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
    const std::string text = findings_text(Terminal(false), {finding(name, line, 0)}, folder.path());
    EXPECT_EQ(occurrences(text, "  > "), 0u) << text;
    EXPECT_EQ(occurrences(text, "out_of_bounds:"), 1u);
  }
}

// PTX that names files of the machine must not make us print them.
TEST(FindingsText, shows_lines_of_sources_below_the_root_alone) {
  const TemporaryFolder elsewhere;
  const TemporaryFolder kernel;
  const std::string secret = elsewhere.write("secret.cu", "the password\n").string();
  std::filesystem::create_symlink(secret, kernel.path() / "link.cu");
  kernel.write(".env", "TOKEN=1\n");
  kernel.write("mine.cu", "y[i] = 1;\n");
  const auto shown = [&](const std::string& file) {
    return occurrences(findings_text(Terminal(false), {finding(file, 1, 0)}, kernel.path()), "  > ") == 1;
  };
  EXPECT_FALSE(shown("/etc/passwd"));
  EXPECT_FALSE(shown(secret));
  EXPECT_FALSE(shown((kernel.path() / "link.cu").string()));
  EXPECT_FALSE(shown((kernel.path() / ".env").string()));
  EXPECT_FALSE(shown((kernel.path() / ".." / elsewhere.path().filename() / "secret.cu").string()));
  EXPECT_TRUE(shown((kernel.path() / "mine.cu").string()));
  EXPECT_TRUE(shown("mine.cu")) << "names may be relative to the root";
}

TEST(FindingsText, uses_colours_if_there_are_any) {
  const std::string text = findings_text(Terminal(true), {finding("copy.cu", 5, 0)}, "");
  EXPECT_EQ(occurrences(text, "\x1b[31mout_of_bounds\x1b[0m"), 1u) << text;
  EXPECT_EQ(occurrences(findings_text(Terminal(false), {finding("copy.cu", 5, 0)}, ""), "\x1b"), 0u);
}

TEST(FindingsText, has_nothing_to_say_about_nothing) {
  EXPECT_EQ(findings_text(Terminal(true), {}, ""), "");
}

TEST(FindingsText, claims_no_thread_where_a_gpu_told_none) {
  Finding fault;
  fault.kind = FindingKind::illegal_address;
  fault.kernel = "copy";
  fault.message = "an access to memory that is not mapped";
  const std::string text = findings_text(Terminal(false), {fault}, "");
  EXPECT_EQ(text, "illegal_address in kernel copy\n  an access to memory that is not mapped\n");
}

}  // namespace
}  // namespace assay::report
