// SPDX-License-Identifier: MIT
#include "base/process.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

extern char** environ;

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() { close_read(), close_write(); }

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_read() { close_end(read_end); }
  void close_write() { close_end(write_end); }

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) entries.emplace_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

std::vector<char*> as_argv(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Between fork and exec only async-signal-safe calls are allowed, so everything is prepared by the parent.
[[noreturn]] void become(const char* program, char* const* argv, char* const* envp, const Command& command,
                         const Pipe& input, const Pipe& output, const Pipe& errors, int failure_pipe) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // our end, however it comes, is its end
  if (::dup2(input.read_end, 0) >= 0 && ::dup2(output.write_end, 1) >= 0 && ::dup2(errors.write_end, 2) >= 0 &&
      (command.folder.empty() || ::chdir(command.folder.c_str()) == 0)) {
    if (command.memory_limit_bytes > 0) {
      const rlimit limit{command.memory_limit_bytes, command.memory_limit_bytes};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    ::signal(SIGPIPE, SIG_DFL);
    ::execve(program, argv, envp);
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure_pipe, &reason, sizeof reason);
  ::_exit(127);
}

// Appends what is ready; false at the end of the stream.
bool drain(int fd, std::string& into, size_t limit, bool& cut) {
  char buffer[1 << 16];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const size_t room = limit - std::min(limit, into.size());
  into.append(buffer, std::min(room, static_cast<size_t>(count)));
  cut |= static_cast<size_t>(count) > room;
  return true;
}

// What is in the pipe now; others may still hold its other end.
void drain_rest(int fd, std::string& into, size_t limit, bool& cut) {
  if (fd < 0) return;
  pollfd ready{fd, POLLIN, 0};
  // Not for ever: whoever holds the other end may go on writing.
  for (int i = 0; i < 64 && ::poll(&ready, 1, 0) > 0 && drain(fd, into, limit, cut); ++i) continue;
}

// Feeds the input and collects both outputs until the child has closed them, has ended, or the time is up.
void exchange(const Command& command, int child, Pipe& input, Pipe& output, Pipe& errors, Clock::time_point deadline,
              ProcessOutcome& outcome) {
  size_t fed = 0;
  bool ended = false;
  ::fcntl(input.write_end, F_SETFL, O_NONBLOCK);
  if (command.input.empty()) input.close_write();
  while (!ended && (output.read_end >= 0 || errors.read_end >= 0)) {
    std::array<pollfd, 4> polls{pollfd{output.read_end, POLLIN, 0}, pollfd{errors.read_end, POLLIN, 0},
                                pollfd{input.write_end, POLLOUT, 0}, pollfd{child, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      outcome.timed_out = true;
      return;
    }
    const int wait_ms = static_cast<int>(std::min<long long>(left.count() + 1, 60'000));
    if (::poll(polls.data(), polls.size(), wait_ms) < 0 && errno != EINTR) return;
    if (polls[0].revents != 0 &&
        !drain(output.read_end, outcome.output, command.output_limit_bytes, outcome.output_cut)) {
      output.close_read();
    }
    if (polls[1].revents != 0 &&
        !drain(errors.read_end, outcome.errors, command.output_limit_bytes, outcome.output_cut)) {
      errors.close_read();
    }
    if (polls[2].revents != 0) {
      const ssize_t count = ::write(input.write_end, command.input.data() + fed, command.input.size() - fed);
      if (count > 0) fed += static_cast<size_t>(count);
      const bool refused = count < 0 && errno != EAGAIN && errno != EINTR;
      if (refused || fed == command.input.size()) input.close_write();
    }
    ended = polls[3].revents != 0;
  }
  // A process that the child left behind may keep the pipes open; the child's own words are all here by now.
  drain_rest(output.read_end, outcome.output, command.output_limit_bytes, outcome.output_cut);
  drain_rest(errors.read_end, outcome.errors, command.output_limit_bytes, outcome.output_cut);
}

// Waits for the child; a child that closed its outputs but lives on is ended at the deadline.
int reap(pid_t child, Clock::time_point deadline, ProcessOutcome& outcome) {
  int status = 0;
  while (!outcome.timed_out) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child)
      break;
    if (Clock::now() >= deadline) outcome.timed_out = true;
    ::usleep(500);
  }
  // Also whatever it left running. Before its number is given back: then nobody else can have that number.
  ::kill(-child, SIGKILL);
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

std::string signal_name(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", signal);
}

std::string describe_end(const ProcessOutcome& outcome) {
  if (outcome.timed_out) {
    return fmt::format("was stopped at its time limit after {:.1f} s",
                       std::chrono::duration<double>(outcome.duration).count());
  }
  if (outcome.signal != 0) return "was killed by " + signal_name(outcome.signal);
  return fmt::format("exited with {}", outcome.exit_status);
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? std::filesystem::path(name) : std::filesystem::path();
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "/usr/bin:/bin", ':')) {
    const std::filesystem::path candidate = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (!std::filesystem::is_directory(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

Result<ProcessOutcome> run(const Command& command) {
  std::filesystem::path program = find_program(command.arguments.at(0));
  if (program.empty()) {
    return Error{fmt::format("the program '{}' was not found", command.arguments[0]),
                 {},
                 "install it, or put its folder into PATH",
                 ExitCode::environment};
  }
  program = std::filesystem::absolute(program);  // relative to our folder, not to the one that it will run in
  Pipe input, output, errors, failure;
  if (!input.open() || !output.open() || !errors.open() || !failure.open()) {
    return Error{fmt::format("cannot open pipes: {}", std::strerror(errno)), {}, "", ExitCode::environment};
  }
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = merged_environment(command.environment);
  const std::vector<char*> argv = as_argv(arguments);
  const std::vector<char*> envp = as_argv(environment);
  ::signal(SIGPIPE, SIG_IGN);

  const Clock::time_point start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0)
    return Error{fmt::format("cannot start a process: {}", std::strerror(errno)), {}, "", ExitCode::environment};
  if (child == 0) become(program.c_str(), argv.data(), envp.data(), command, input, output, errors, failure.write_end);
  ::setpgid(child, child);
  input.close_read(), output.close_write(), errors.close_write(), failure.close_write();

  int reason = 0;
  if (::read(failure.read_end, &reason, sizeof reason) == sizeof reason) {
    ::waitpid(child, nullptr, 0);
    return Error{
        fmt::format("cannot start '{}': {}", program.string(), std::strerror(reason)), {}, "", ExitCode::environment};
  }
  ProcessOutcome outcome;
  const Clock::time_point deadline = start + command.time_limit;
  const int end_of_child =
      static_cast<int>(::syscall(SYS_pidfd_open, child, 0));  // -1 on old systems: then only the pipes tell
  exchange(command, end_of_child, input, output, errors, deadline, outcome);
  if (end_of_child >= 0) ::close(end_of_child);
  const int status = reap(child, deadline, outcome);
  outcome.duration = Clock::now() - start;
  if (WIFEXITED(status)) outcome.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status) && !outcome.timed_out) outcome.signal = WTERMSIG(status);
  return outcome;
}

}  // namespace assay
