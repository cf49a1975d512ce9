// SPDX-License-Identifier: MIT
#include "base/supervisor.hpp"

#include <csignal>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/marked_processes.hpp"
#include "../support/temporary_folder.hpp"
#include "base/child.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A word that nobody else's processes carry.
std::string new_mark() {
  static int count = 0;
  return fmt::format("{}-{}", ::getpid(), ++count);
}

std::string entry_of(const std::string& mark) {
  return "ASSAY_TEST_MARK=" + mark;
}

// A program that leaves behind what is hardest to find: in sessions of their own, twice forked, holding the pipes,
// deaf to what asks politely. Then it says that they are there, and goes on with `then`.
Command runaway(const std::string& mark, const std::string& then) {
  Command command;
  command.arguments = {"/bin/sh", "-c",
                       "trap '' INT TERM HUP; setsid sh -c 'sleep 300 & sleep 300 & wait' & "
                       "(setsid setsid sleep 300 &) ; sleep 300 & sleep 0.1; echo there; " +
                           then};
  command.environment = {{"ASSAY_TEST_MARK", mark}};
  command.time_limit = seconds(30);
  return command;
}

// Whether so many processes were there at once. It may take a moment, and a process that becomes another program has no
// environment meanwhile.
bool has_come(const std::string& mark, size_t count) {
  for (int i = 0; i < 2000; ++i) {
    if (processes_with(entry_of(mark)).size() >= count) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(Supervisor, ends_what_a_program_leaves_behind_when_it_succeeds) {
  const std::string mark = new_mark();
  const auto outcome = run(runaway(mark, "exit 0"));
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->succeeded()) << describe_end(*outcome);
  EXPECT_EQ(outcome->output, "there\n");
  EXPECT_LT(outcome->duration, seconds(20)) << "whoever holds the pipe is not waited for";
  EXPECT_EQ(processes_with(entry_of(mark)), std::vector<pid_t>{}) << "gone when run() returns, not some time later";
}

TEST(Supervisor, ends_what_a_program_leaves_behind_when_it_fails) {
  const std::string mark = new_mark();
  const auto outcome = run(runaway(mark, "kill -SEGV $$"));
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->signal, SIGSEGV);
  EXPECT_EQ(processes_with(entry_of(mark)), std::vector<pid_t>{});
}

TEST(Supervisor, ends_everything_at_the_time_limit) {
  const std::string mark = new_mark();
  Command command = runaway(mark, "sleep 300; sleep 300");
  command.time_limit = milliseconds(600);
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_LT(outcome->duration, seconds(20));
  EXPECT_EQ(processes_with(entry_of(mark)), std::vector<pid_t>{});
}

TEST(Supervisor, ends_everything_with_the_child_object) {
  const std::string mark = new_mark();
  {
    const auto child = Child::start(runaway(mark, "sleep 300"));
    ASSERT_TRUE(child.ok());
    std::string line;
    ASSERT_EQ((*child)->receive(line, seconds(20)), Child::Answer::line);
    EXPECT_TRUE(has_come(mark, 4)) << "otherwise nothing is tested here";
  }
  EXPECT_EQ(processes_with(entry_of(mark)), std::vector<pid_t>{});
}

TEST(Supervisor, notices_a_program_that_ended_although_others_hold_its_pipe) {
  const std::string mark = new_mark();
  const auto child = Child::start(runaway(mark, "exit 3"));
  ASSERT_TRUE(child.ok());
  std::string line;
  ASSERT_EQ((*child)->receive(line, seconds(20)), Child::Answer::line);
  EXPECT_EQ((*child)->receive(line, seconds(20)), Child::Answer::ended);
  EXPECT_EQ((*child)->stop(), "exited with 3");
}

// A command of ours that is ended by a signal while a program runs. It has a thread that works, and a handler.
class EndOfTheCommand : public ::testing::TestWithParam<int> {};

TEST_P(EndOfTheCommand, is_the_end_of_everything) {
  const std::string mark = new_mark();
  const TemporaryFolder folder;
  const pid_t command = ::fork();
  ASSERT_GE(command, 0);
  if (command == 0) {
    std::thread busy([] {
      while (true) ::pause();
    });
    const auto child = Child::start(runaway(mark, "sleep 300"));
    std::string line;
    if (child.ok()) (*child)->receive(line, seconds(20));
    std::ofstream(folder.path() / "ready") << line;
    while (true) ::pause();
  }
  for (int i = 0; i < 4000 && !std::filesystem::exists(folder.path() / "ready"); ++i)
    std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(has_come(mark, 4)) << "otherwise nothing is tested here";
  ASSERT_EQ(::kill(command, GetParam()), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(command, &status, 0), command);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(all_end_soon(entry_of(mark)));
}

INSTANTIATE_TEST_SUITE_P(Signals, EndOfTheCommand, ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL),
                         [](const auto& each) { return signal_name(each.param); });

// The command within the command of the next test, with a supervisor and programs of its own: this program, which does
// that instead of its tests.
constexpr const char* kInnerCommand = "ASSAY_TEST_INNER_COMMAND";
class InnerCommand final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (std::getenv(kInnerCommand) == nullptr) return;
    const char* mark = std::getenv("ASSAY_TEST_MARK");
    const auto child = Child::start(runaway(mark != nullptr ? mark : "", "sleep 300"));
    while (true) ::pause();
  }
};
[[maybe_unused]] const ::testing::Environment* const kInner = ::testing::AddGlobalTestEnvironment(new InnerCommand);

TEST(Supervisor, ends_a_command_within_a_command) {
  const std::string mark = new_mark();
  Command command;
  command.arguments = {"/proc/self/exe"};
  command.environment = {{"ASSAY_TEST_MARK", mark}, {kInnerCommand, "1"}};
  const auto child = Child::start(command);
  ASSERT_TRUE(child.ok());
  EXPECT_TRUE(has_come(mark, 6)) << "otherwise nothing is tested here";
  (*child)->stop();
  EXPECT_EQ(processes_with(entry_of(mark)), std::vector<pid_t>{});
}

TEST(Supervisor, ends_processes_that_fork_and_exit_all_the_time) {
  const std::string mark = new_mark();
  Command command = runaway(mark, "sleep 300");
  // Each generation starts the next one in a session of its own and is gone.
  const TemporaryFolder folder;
  const auto script = folder.write_script("again", "sleep 0.005\nsetsid \"$0\" &\n");
  command.arguments = {"/bin/sh", "-c", script.string() + " & sleep 300"};
  command.time_limit = milliseconds(400);
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(all_end_soon(entry_of(mark)));
}

// A program runs as the same user as its supervisor, and may send it anything.
class AttackOnTheSupervisor : public ::testing::TestWithParam<const char*> {};
TEST_P(AttackOnTheSupervisor, saves_nobody) {
  const std::string mark = new_mark();
  Command command = runaway(mark, std::string(GetParam()) + "; sleep 300");
  command.time_limit = seconds(2);
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_LT(outcome->duration, seconds(20));
  EXPECT_TRUE(all_end_soon(entry_of(mark)));
}
INSTANTIATE_TEST_SUITE_P(Signals, AttackOnTheSupervisor,
                         ::testing::Values("kill -9 $PPID", "kill -STOP $PPID",
                                           "kill -9 $(cut -d ' ' -f 4 /proc/$PPID/stat)",
                                           "kill -STOP $(cut -d ' ' -f 4 /proc/$PPID/stat)"));

TEST(Supervisor, keeps_nothing_of_ours_open) {
  // Neither the program nor its supervisor may hold a pipe of ours: a reader at its other end would wait for them.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // not closed on exec, on purpose
  Command command;
  command.arguments = {"/bin/sh", "-c", "ls -l /proc/self/fd /proc/$PPID/fd"};
  const auto outcome = run(command);
  const std::string pipe = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", ends[1])).string();
  ::close(ends[0]), ::close(ends[1]);
  ASSERT_TRUE(outcome.ok());
  EXPECT_NE(outcome->output.find("pipe:"), std::string::npos);
  EXPECT_EQ(outcome->output.find(pipe), std::string::npos) << outcome->output;
}

TEST(Supervisor, starts_programs_although_standard_input_and_output_are_closed) {
  const TemporaryFolder folder;
  const pid_t command = ::fork();
  ASSERT_GE(command, 0);
  if (command == 0) {
    ::close(0), ::close(1), ::close(2);
    Command echo;
    echo.arguments = {"/bin/sh", "-c", "cat; echo err >&2"};
    echo.input = "in";
    const auto outcome = run(echo);
    std::ofstream(folder.path() / "answer") << (outcome.ok() ? outcome->output + "|" + outcome->errors : "none");
    ::_exit(0);
  }
  ::waitpid(command, nullptr, 0);
  EXPECT_EQ(content_of(folder.path() / "answer"), "in|err\n");
}

TEST(Supervisor, gives_the_program_the_usual_signals) {
  // Ours are blocked or ignored now and then; a program that inherits that cannot be interrupted by its own.
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGUSR1, &ignore, &before);
  Command command;
  command.arguments = {"/bin/sh", "-c", "awk '/^Sig(Blk|Ign)/ { print $2 }' /proc/self/status"};
  const auto outcome = run(command);
  ::sigaction(SIGUSR1, &before, nullptr);
  ASSERT_TRUE(outcome.ok());
  // Signals 32 and 33 belong to glibc, which lets no program change them; some shells hand them down ignored.
  constexpr uint64_t kGlibcOwn = 0x180000000;
  const std::vector<std::string_view> masks = split(outcome->output, '\n');
  ASSERT_EQ(masks.size(), 3u) << outcome->output;
  EXPECT_EQ(std::stoull(std::string(masks[0]), nullptr, 16) & ~kGlibcOwn, 0u) << "blocked " << masks[0];
  EXPECT_EQ(std::stoull(std::string(masks[1]), nullptr, 16) & ~kGlibcOwn, 0u) << "ignored " << masks[1];
}

TEST(Supervisor, limits_the_memory_that_can_be_written) {
  Command command;
  command.arguments = {"/bin/sh", "-c", "ulimit -d; ulimit -v"};
  command.data_limit_bytes = size_t{256} << 20;
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->output, "262144\nunlimited\n");
}

}  // namespace
}  // namespace assay
