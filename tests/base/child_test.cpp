// SPDX-License-Identifier: MIT
#include "base/child.hpp"

#include <cerrno>
#include <ctime>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/file.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::unique_ptr<Child> shell(const std::string& script) {
  auto child = Child::start({"/bin/sh", "-c", script});
  EXPECT_TRUE(child.ok()) << to_string(child.error());
  return child.ok() ? std::move(*child) : nullptr;
}

bool has_ended_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

size_t open_files() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST(Child, answers_line_by_line) {
  const auto child = shell("while read line; do echo \"got $line\"; done");
  std::string line;
  for (const std::string word : {"one", "two words", ""}) {
    ASSERT_EQ(child->send(word, seconds(10)), Child::Sent::all);
    ASSERT_EQ(child->receive(line, seconds(10)), Child::Answer::line);
    EXPECT_EQ(line, "got " + word);
  }
}

TEST(Child, keeps_lines_that_came_together) {
  const auto child = shell("printf 'a\\nb\\n\\nc'");
  std::string line;
  for (const std::string expected : {"a", "b", ""}) {
    ASSERT_EQ(child->receive(line, seconds(10)), Child::Answer::line);
    EXPECT_EQ(line, expected);
  }
  EXPECT_EQ(child->receive(line, seconds(10)), Child::Answer::ended) << "half a line is no answer";
}

TEST(Child, carries_a_long_line) {
  const auto child = shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo next");
  std::string line;
  ASSERT_EQ(child->receive(line, seconds(20)), Child::Answer::line);
  EXPECT_EQ(line, std::string(5'000'000, 'x'));
  ASSERT_EQ(child->receive(line, seconds(10)), Child::Answer::line);
  EXPECT_EQ(line, "next");
}

TEST(Child, tells_a_time_out_from_an_end) {
  const auto child = shell("read line; exec sleep 60");
  std::string line;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(child->receive(line, milliseconds(50)), Child::Answer::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_EQ(child->stop(), "was stopped");
  EXPECT_EQ(child->stop(), "has ended");
  EXPECT_EQ(child->send("anybody?", seconds(1)), Child::Sent::ended);
}

TEST(Child, keeps_the_last_words_of_one_that_dies) {
  const auto child = shell("echo last words >&2; kill -SEGV $$");
  std::string line;
  EXPECT_EQ(child->receive(line, seconds(10)), Child::Answer::ended);
  EXPECT_EQ(child->stop(), "was killed by SIGSEGV");
  EXPECT_EQ(child->errors(), "last words\n");
}

TEST(Child, keeps_the_last_words_even_if_nobody_received) {
  const auto child = shell("exec >&-; echo last words >&2; exit 7");
  while (child->send("are you there?", seconds(10)) == Child::Sent::all) std::this_thread::sleep_for(milliseconds(2));
  EXPECT_EQ(child->stop(), "exited with 7");
  EXPECT_EQ(child->errors(), "last words\n");
}

TEST(Child, survives_a_signal_without_a_name) {
  const auto child = shell("kill -40 $$");
  std::string line;
  EXPECT_EQ(child->receive(line, seconds(10)), Child::Answer::ended);
  EXPECT_EQ(child->stop(), "was killed by signal 40");
}

TEST(Child, reads_many_errors_while_it_waits_for_an_answer) {
  // More than a pipe holds: a child that nobody listens to would block before it answers.
  const auto child = shell("head -c 3000000 /dev/zero >&2; echo done");
  std::string line;
  ASSERT_EQ(child->receive(line, seconds(20)), Child::Answer::line);
  EXPECT_EQ(line, "done");
  EXPECT_GE(child->errors().size(), size_t{1} << 20);
  EXPECT_LT(child->errors().size(), size_t{2} << 20) << "the errors have a limit";
}

TEST(Child, rests_while_one_without_standard_error_thinks) {
  const auto child = shell("exec 2>&-; sleep 0.3; echo done");
  std::string line;
  const std::clock_t before = std::clock();
  ASSERT_EQ(child->receive(line, seconds(10)), Child::Answer::line);
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.15) << "waiting must not keep a core busy";
}

TEST(Child, leaves_no_zombie_and_no_open_file) {
  const size_t before = open_files();
  for (const char* script : {"exit 0", "exec sleep 60", "kill -9 $$", "exec cat /dev/zero"}) {
    const auto child = shell(script);
    std::string line;
    child->receive(line, milliseconds(20));
  }
  EXPECT_FALSE(has_ended_children());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(open_files(), before);
}

TEST(Child, does_not_wait_for_ever_for_one_that_stops_reading) {
  const auto child = shell("echo ready; exec sleep 60");
  std::string line;
  ASSERT_EQ(child->receive(line, seconds(10)), Child::Answer::line);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(child->send(std::string(1 << 20, 'x'), milliseconds(100)), Child::Sent::timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_EQ(child->stop(), "was stopped");
}

TEST(Child, reads_while_it_sends) {
  // Both lines are longer than a pipe: whoever insisted on writing first would wait for ever.
  const auto child = shell("head -c 3000000 /dev/zero | tr '\\0' y; echo; read line; echo ${#line}");
  ASSERT_EQ(child->send(std::string(1'000'000, 'x'), seconds(20)), Child::Sent::all);
  std::string line;
  ASSERT_EQ(child->receive(line, seconds(20)), Child::Answer::line);
  EXPECT_EQ(line.size(), 3'000'000u);
  ASSERT_EQ(child->receive(line, seconds(20)), Child::Answer::line);
  EXPECT_EQ(line, "1000000");
}

TEST(Child, asks_within_one_limit) {
  const auto child = shell("read line; echo \"got $line\"; exec sleep 60");
  std::string answer;
  ASSERT_EQ(child->ask("this", answer, seconds(10)), Child::Answer::line);
  EXPECT_EQ(answer, "got this");
  EXPECT_EQ(child->ask("that", answer, milliseconds(50)), Child::Answer::timed_out);
  EXPECT_EQ(child->ask(std::string(1 << 20, 'x'), answer, milliseconds(50)), Child::Answer::timed_out);
}

TEST(Child, outlives_the_thread_that_started_it) {
  std::unique_ptr<Child> child;
  std::thread([&] { child = shell("while read line; do echo \"got $line\"; done"); }).join();
  std::string answer;
  EXPECT_EQ(child->ask("this", answer, seconds(10)), Child::Answer::line);
}

// In a process of its own: it holds for all of it.
TEST(Child, is_not_waited_for_when_everything_is_to_stop) {
  const pid_t process = ::fork();
  ASSERT_GE(process, 0);
  if (process == 0) {
    const auto child = shell("exec sleep 60");
    std::thread later([] {
      std::this_thread::sleep_for(milliseconds(50));
      stop_waiting_for_children();
    });
    std::string line;
    const auto start = std::chrono::steady_clock::now();
    const bool told = child->receive(line, seconds(50)) == Child::Answer::timed_out;
    const bool soon = std::chrono::steady_clock::now() - start < seconds(20);
    later.join();
    const bool none = !Child::start({"/bin/true"}).ok();
    ::_exit(told && soon && none && child->stop() == "was stopped" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Child, takes_what_it_started_along) {
  const auto child = shell("sleep 60 & echo $!; exit 0");
  std::string line;
  ASSERT_EQ(child->receive(line, seconds(10)), Child::Answer::line);
  const pid_t grandchild = std::stoi(line);
  child->stop();
  bool gone = false;
  for (int i = 0; i < 400 && !gone; ++i) {
    const auto status = read_file("/proc/" + line + "/stat");
    gone = !status || status->find(") Z ") != std::string::npos;
    if (!gone) std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_TRUE(gone) << "process " << grandchild << " is still there";
}

TEST(Child, explains_a_program_that_is_not_there) {
  const auto missing = Child::start({"/no/such/program"});
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("/no/such/program"), std::string::npos) << missing.error().message;
  EXPECT_EQ(missing.error().exit_code, ExitCode::environment);
}

}  // namespace
}  // namespace assay
