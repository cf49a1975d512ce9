// SPDX-License-Identifier: MIT
#include "base/process.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

Command in_shell(const std::string& script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  command.time_limit = std::chrono::seconds(20);
  return command;
}

ProcessOutcome run_well(const Command& command) {
  auto outcome = run(command);
  EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
  return outcome.ok() ? *outcome : ProcessOutcome{};
}

// A process that was killed stays visible until somebody waits for it; give that a moment.
bool ends_soon(pid_t pid) {
  for (int i = 0; i < 400; ++i) {
    if (::kill(pid, 0) != 0) return true;
    const auto status = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!status || status->find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(Run, collects_both_outputs_and_the_exit_status) {
  const ProcessOutcome outcome = run_well(in_shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_EQ(outcome.exit_status, 3);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(describe_end(outcome), "exited with 3");
  EXPECT_GT(outcome.duration.count(), 0);
}

TEST(Run, ends_what_is_not_wanted_any_more) {
  const auto start = Clock::now();
  const auto outcome = run(in_shell("echo begun; sleep 15"), [&] { return Clock::now() - start > milliseconds(300); });
  ASSERT_TRUE(outcome.ok()) << to_string(outcome.error());
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_EQ(outcome->output, "begun\n");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_TRUE(run(in_shell("exit 0"), [] { return false; })->succeeded());
}

TEST(Run, succeeds_with_status_0_alone) {
  EXPECT_TRUE(run_well(in_shell("exit 0")).succeeded());
  EXPECT_FALSE(run_well(in_shell("kill -9 $$")).succeeded());
}

TEST(Run, names_the_signal) {
  const ProcessOutcome outcome = run_well(in_shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_EQ(describe_end(outcome), "was killed by SIGSEGV");
}

TEST(Run, survives_a_signal_without_a_name) {
  const ProcessOutcome outcome = run_well(in_shell("kill -40 $$"));
  EXPECT_EQ(outcome.signal, 40);
  EXPECT_EQ(describe_end(outcome), "was killed by signal 40");
}

TEST(Run, does_not_let_a_shell_interpret_arguments) {
  Command command;
  command.arguments = {"echo", "$HOME; echo *", "a  b", "`id`"};
  EXPECT_EQ(run_well(command).output, "$HOME; echo * a  b `id`\n");
}

TEST(Run, feeds_the_input) {
  Command command = in_shell("cat");
  command.input = std::string(1'000'000, 'x') + "end";  // more than a pipe holds, both ways
  const ProcessOutcome outcome = run_well(command);
  EXPECT_EQ(outcome.output, command.input);
}

TEST(Run, does_not_mind_a_program_that_ignores_its_input) {
  Command command = in_shell("exec <&-; echo done");
  command.input = std::string(1'000'000, 'x');
  const ProcessOutcome outcome = run_well(command);
  EXPECT_TRUE(outcome.succeeded()) << describe_end(outcome);
  EXPECT_EQ(outcome.output, "done\n");
}

TEST(Run, ends_the_input_if_there_is_none) {
  EXPECT_EQ(run_well(in_shell("cat; echo end")).output, "end\n");
}

TEST(Run, cuts_output_beyond_the_limit_and_says_so) {
  Command command = in_shell("head -c 3000000 /dev/zero; echo short >&2");
  command.output_limit_bytes = 100'000;
  const ProcessOutcome outcome = run_well(command);
  EXPECT_EQ(outcome.output.size(), 100'000u);
  EXPECT_TRUE(outcome.output_cut);
  EXPECT_EQ(outcome.errors, "short\n");
  EXPECT_TRUE(outcome.succeeded()) << "the program must not notice";
}

TEST(Run, does_not_call_output_cut_that_just_fits) {
  Command command = in_shell("printf 0123456789");
  command.output_limit_bytes = 10;
  EXPECT_FALSE(run_well(command).output_cut);
  command.output_limit_bytes = 9;
  EXPECT_TRUE(run_well(command).output_cut);
}

TEST(Run, ends_the_whole_group_at_the_time_limit) {
  const TemporaryFolder folder;
  Command command = in_shell("sleep 60 & echo $!; wait");
  command.time_limit = milliseconds(150);
  const auto start = Clock::now();
  const ProcessOutcome outcome = run_well(command);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(outcome.signal, 0) << "our own signal is not the program's";
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_NE(describe_end(outcome).find("time limit"), std::string::npos);
  const pid_t grandchild = std::stoi(outcome.output);
  EXPECT_TRUE(ends_soon(grandchild)) << "process " << grandchild << " is still there";
}

TEST(Run, ends_a_program_that_closed_its_outputs_and_hangs) {
  Command command = in_shell("exec >&- 2>&-; sleep 60");
  command.time_limit = milliseconds(150);
  EXPECT_TRUE(run_well(command).timed_out);
}

TEST(Run, does_not_wait_for_what_the_program_left_behind) {
  Command command = in_shell("sleep 60 & echo $!; echo last words >&2; exit 4");
  command.time_limit = std::chrono::seconds(30);
  const ProcessOutcome outcome = run_well(command);
  EXPECT_LT(outcome.duration, std::chrono::seconds(15));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_status, 4);
  EXPECT_EQ(outcome.errors, "last words\n");
  EXPECT_TRUE(ends_soon(std::stoi(outcome.output)));
}

TEST(Run, says_that_a_program_is_missing) {
  Command command;
  command.arguments = {"no-such-program-here"};
  const auto missing = run(command);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("no-such-program-here"), std::string::npos);
  EXPECT_EQ(missing.error().exit_code, ExitCode::environment);
  command.arguments = {"/no/such/program"};
  EXPECT_FALSE(run(command).ok());
  command.arguments = {""};
  EXPECT_FALSE(run(command).ok());
}

TEST(Run, says_why_a_file_cannot_be_started) {
  const TemporaryFolder folder;
  const auto file = folder.write("rubbish",
                                 "\x7f"
                                 "ELF and nothing else");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  Command command;
  command.arguments = {file.string()};
  const auto refused = run(command);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("cannot start"), std::string::npos) << refused.error().message;
}

TEST(Run, says_that_the_working_folder_is_missing) {
  Command command = in_shell("pwd");
  command.folder = "/no/such/folder";
  EXPECT_FALSE(run(command).ok());
}

TEST(Run, works_in_the_given_folder_with_the_given_environment) {
  const TemporaryFolder folder;
  Command command = in_shell("pwd; echo $ASSAY_TEST_WORD; echo $PATH");
  command.folder = folder.path();
  command.environment = {{"ASSAY_TEST_WORD", "a b"}, {"PATH", "/replaced"}};
  const ProcessOutcome outcome = run_well(command);
  const auto lines = split(outcome.output, '\n');
  ASSERT_GE(lines.size(), 3u);
  EXPECT_EQ(std::filesystem::canonical(lines[0]), std::filesystem::canonical(folder.path()));
  EXPECT_EQ(lines[1], "a b");
  EXPECT_EQ(lines[2], "/replaced");
}

TEST(Run, finds_a_relative_program_from_our_folder_not_from_its_own) {
  const TemporaryFolder folder;
  const auto script = folder.write_script("tool", "echo found\n");
  Command command;
  command.arguments = {std::filesystem::relative(script).string()};
  if (command.arguments[0].find('/') == std::string::npos) command.arguments[0] = "./" + command.arguments[0];
  command.folder = "/";
  EXPECT_EQ(run_well(command).output, "found\n");
}

TEST(Run, limits_the_memory) {
  Command command = in_shell("ulimit -v");
  command.memory_limit_bytes = size_t{512} << 20;
  EXPECT_EQ(run_well(command).output, std::to_string(512 * 1024) + "\n");
}

TEST(FindProgram, looks_in_the_path) {
  EXPECT_FALSE(find_program("sh").empty());
  EXPECT_TRUE(find_program("sh").is_absolute());
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_TRUE(find_program("no-such-program-here").empty());
  EXPECT_TRUE(find_program("").empty());
}

}  // namespace
}  // namespace assay
