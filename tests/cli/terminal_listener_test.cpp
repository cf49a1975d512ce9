// SPDX-License-Identifier: MIT
#include "cli/terminal_listener.hpp"

#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <pty.h>
#include <thread>
#include <unistd.h>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/progress.hpp"

namespace assay::cli {
namespace {

// Standard error goes to `target` while `work` runs.
void with_errors_to(int target, const std::function<void()>& work) {
  std::fflush(stderr);
  const int kept = ::dup(STDERR_FILENO);
  ::dup2(target, STDERR_FILENO);
  work();
  std::fflush(stderr);
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
}

std::string in_a_file(const std::function<void()>& work) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "errors";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  with_errors_to(file, work);
  ::close(file);
  return *read_file(path);
}

std::string on_a_terminal(unsigned short columns, const std::function<void()>& work) {
  int ours = -1;
  int theirs = -1;
  const winsize size{24, columns, 0, 0};
  if (::openpty(&ours, &theirs, nullptr, nullptr, &size) != 0) return "no terminal";
  with_errors_to(theirs, work);
  // The kernel hands on what was written in its own time, so reading ends at a mark and not when nothing is there yet.
  constexpr char kEnd = '\x04';
  if (::write(theirs, &kEnd, 1) != 1) return "a terminal that takes nothing";
  std::string shown;
  for (char next = 0; ::read(ours, &next, 1) == 1 && next != kEnd;) shown += next;
  ::close(ours);
  ::close(theirs);
  return shown;
}

void short_work() {
  TerminalListener listener(false);
  Progress progress({&listener}, "check", 3);
  for (int i = 0; i < 3; ++i) progress.advance("piece");
}

void slow_work(const std::string& what) {
  TerminalListener listener(false);
  Progress progress({&listener}, "check", 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  progress.advance(what);
}

TEST(TerminalListener, says_nothing_about_short_work_in_a_log) {
  EXPECT_EQ(in_a_file(short_work), "");
}

TEST(TerminalListener, writes_notes_as_lines) {
  EXPECT_EQ(in_a_file([] { TerminalListener(false).note("something happened"); }), "something happened\n");
}

TEST(TerminalListener, is_silent_if_asked_to_be) {
  EXPECT_EQ(in_a_file([] { TerminalListener(true).note("something happened"); }), "");
}

TEST(TerminalListener, warns_even_if_it_is_to_be_silent) {
  EXPECT_EQ(in_a_file([] { TerminalListener(true).warn("not recorded"); }), "assay: warning: not recorded\n");
}

TEST(TerminalListener, goes_on_talking_while_nothing_happens) {
  const std::string shown = on_a_terminal(100, [] {
    TerminalListener listener(false);
    Progress progress({&listener}, "check", 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  });
  EXPECT_NE(shown.find("check 0/4, 1 s"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("left"), std::string::npos) << "nothing is known of the time left: " << shown;
}

TEST(TerminalListener, writes_no_escapes_to_a_dumb_terminal) {
  ::setenv("TERM", "dumb", 1);
  const std::string shown = on_a_terminal(100, [] { slow_work("S=64"); });
  ::unsetenv("TERM");
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
}

TEST(TerminalListener, rewrites_one_line_on_a_terminal_and_takes_it_away) {
  const std::string shown = on_a_terminal(100, [] { slow_work("S=64"); });
  EXPECT_NE(shown.find("\r\x1b[Kcheck 1/4, "), std::string::npos) << shown;
  EXPECT_NE(shown.find("S=64"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << "the line must be gone at the end";
  EXPECT_EQ(shown.find('\n'), std::string::npos);
}

TEST(TerminalListener, keeps_to_the_width_of_the_terminal) {
  const std::string shown = on_a_terminal(40, [] { slow_work(std::string(300, 'x')); });
  const std::string clear = "\r\x1b[K";
  ASSERT_TRUE(shown.starts_with(clear)) << shown;
  EXPECT_EQ(shown.find(clear, 1) - clear.size(), 39u);
}

TEST(TerminalListener, counts_pieces_from_several_threads) {
  const std::string shown = on_a_terminal(100, [] {
    TerminalListener listener(false);
    Progress progress({&listener}, "build", 401);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) progress.advance("x");
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    progress.advance("last");
  });
  EXPECT_NE(shown.find("build 401/401, 0 s  last"), std::string::npos) << shown;
}

}  // namespace
}  // namespace assay::cli
