// SPDX-License-Identifier: MIT
#include "base/screen.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/marked_processes.hpp"
#include "../support/temporary_folder.hpp"

namespace assay {
namespace {

std::string filtered(std::string_view text) {
  return ScreenFilter("").pass(text);
}

TEST(ScreenFilter, lets_ordinary_text_pass) {
  const std::string text = "µs € 😀\n\ttwo lines: a::b # c ## d [x]\n";
  EXPECT_EQ(filtered(text), text);
}

TEST(ScreenFilter, shows_what_would_act_on_a_terminal) {
  EXPECT_EQ(filtered("\x1b[2J\x1b]0;x\x07\r"), "\\u001b[2J\\u001b]0;x\\u0007\\r");
  EXPECT_EQ(filtered("\xC2\x9B"
                     "2J"),
            "\\u009b2J");
  EXPECT_EQ(filtered("\x9b"
                     "2J..."),
            "\xEF\xBF\xBD"
            "2J...");
}

TEST(ScreenFilter, lets_no_line_be_a_command_of_a_workflow) {
  EXPECT_EQ(filtered("::error::x"), ":\\u003aerror::x");
  EXPECT_EQ(filtered("ok\n \t::set-output name=a::b\n"), "ok\n \t:\\u003aset-output name=a::b\n");
  EXPECT_EQ(filtered("text ##[group]x"), "text ##\\u005bgroup]x");
  EXPECT_EQ(filtered("###[x]"), "###\\u005bx]");
  EXPECT_EQ(filtered("a::b"), "a::b");
  EXPECT_EQ(filtered(": x"), ": x");
}

TEST(ScreenFilter, passes_pieces_as_it_passes_the_whole) {
  const std::string text = "a\x1b[1m µ€😀 ::x\n::y ##[z] \xC2\x9B \xFFq\n";
  const std::string whole = filtered(text);
  for (size_t at = 0; at <= text.size(); ++at) {
    ScreenFilter filter("");
    const std::string first = filter.pass(text.substr(0, at));
    EXPECT_EQ(first + filter.pass(text.substr(at)), whole) << at;
  }
  ScreenFilter filter("");
  std::string bytes;
  for (const char c : text) bytes += filter.pass({&c, 1});
  EXPECT_EQ(bytes, whole);
}

TEST(ScreenFilter, lets_our_own_sequences_pass_and_no_others) {
  const std::string text =
      "\x1b"
      "word[31mred\x1b"
      "word[0m \x1b[31m \x1b"
      "wors[1m";
  EXPECT_EQ(ScreenFilter("word").pass(text), "\x1b[31mred\x1b[0m \\u001b[31m \\u001bwors[1m");
  ScreenFilter filter("word");
  std::string bytes;
  for (const char c : text) bytes += filter.pass({&c, 1});
  EXPECT_EQ(bytes, ScreenFilter("word").pass(text));
  EXPECT_EQ(ScreenFilter("word").pass("a\x1bword\rb\rc"), "a\rb\\rc") << "our own carriage return, and another's";
}

TEST(Screen, guards_both_streams_of_a_process) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "out").string();
  std::fflush(stdout);  // or the child would write what was said so far once more
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FILE* out = std::fopen(file.c_str(), "w");
    ::dup2(::fileno(out), 1), ::dup2(1, 2);
    guard_standard_streams();
    std::printf("out \x1b[1m%sx%s\n", screen_sequence("1m").c_str(), screen_sequence("0m").c_str());
    std::fflush(stdout);
    std::fputs("err \x1b]0;y\x07\n", stderr);
    std::exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(content_of(file), "out \\u001b[1m\x1b[1mx\x1b[0m\nerr \\u001b]0;y\\u0007\n");
}

TEST(Screen, reports_a_full_disk) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    FILE* full = std::fopen("/dev/full", "w");
    if (full == nullptr) ::_exit(9);
    ::dup2(::fileno(full), 1);
    guard_standard_streams();
    std::printf("text\n");
    ::_exit(std::fflush(stdout) != 0 && std::ferror(stdout) != 0 ? 7 : 8);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace assay
