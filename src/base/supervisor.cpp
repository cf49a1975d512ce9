// SPDX-License-Identifier: MIT
#include "base/supervisor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"

extern char** environ;

namespace assay {
namespace {

constexpr std::chrono::seconds kEndLimit{10};

// Descriptors above standard error: a program's own 0, 1 and 2 must not be in the way when they are put there.
int lifted(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  return high;
}

struct Pair {
  int near = -1;  // ours
  int far = -1;   // the supervisor's

  Pair() = default;
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { close_near(), close_far(); }

  bool open_socket() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    return keep(ends[0], ends[1]);
  }
  bool open_pipe(bool we_write) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    return keep(ends[we_write ? 1 : 0], ends[we_write ? 0 : 1]);
  }
  int take_near() { return std::exchange(near, -1); }
  void close_near() { close_end(near); }
  void close_far() { close_end(far); }

 private:
  bool keep(int ours, int theirs) {
    near = lifted(ours);
    far = lifted(theirs);
    return near >= 0 && far >= 0;
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// All that is needed after the fork. There only async-signal-safe calls are allowed (another thread may have held the
// allocator's lock), so everything is made before.
struct Plan {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* folder = nullptr;  // or null: ours
  rlim_t address_space = RLIM_INFINITY;
  rlim_t data = RLIM_INFINITY;
  pid_t parent = -1;
  int control = -1;
  int input = -1;
  int output = -1;
  int errors = -1;
  int failure = -1;  // errno goes here if the program cannot be started; closes when it was
};

void set_limit(__rlimit_resource resource, rlim_t value) {
  if (value == RLIM_INFINITY) return;
  rlimit limit{};
  if (::getrlimit(resource, &limit) == 0) value = std::min(value, limit.rlim_max);
  limit = {value, value};
  ::setrlimit(resource, &limit);
}

[[noreturn]] void become_program(const Plan& plan, pid_t supervisor) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should somebody kill the supervisor
  if (::getppid() != supervisor) ::_exit(127);
  if (::dup2(plan.input, 0) >= 0 && ::dup2(plan.output, 1) >= 0 && ::dup2(plan.errors, 2) >= 0 &&
      (plan.folder == nullptr || ::chdir(plan.folder) == 0)) {
    set_limit(RLIMIT_AS, plan.address_space);
    set_limit(RLIMIT_DATA, plan.data);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(plan.program, plan.argv, plan.envp);
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(plan.failure, &reason, sizeof reason);
  ::_exit(127);
}

void close_between(unsigned first, unsigned last) {
  if (first > last) return;
  if (::syscall(SYS_close_range, first, last, 0) == 0) return;
  for (unsigned fd = first; fd <= std::min(last, 4096U); ++fd) ::close(static_cast<int>(fd));
}

// The other end of a pipe that nobody else may hold open must not be held open by a copy of this process.
void close_all_but(std::array<int, 5> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = 0;
  for (const int fd : kept) {
    close_between(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  close_between(next, ~0U);
}

// A process of a session of its own, which adopts what its children leave behind and holds nothing but what it needs.
void stand_apart(const char* name, const Plan& plan) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, name);
  close_all_but({plan.control, plan.input, plan.output, plan.errors, plan.failure});
}

// The parent in /proc/PID/stat: "PID (any text) S PARENT ...".
pid_t parent_of(int folder, const char* pid) {
  const int process = ::openat(folder, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (process < 0) return -1;
  const int file = ::openat(process, "stat", O_RDONLY | O_CLOEXEC);
  ::close(process);
  if (file < 0) return -1;
  char text[512];
  const ssize_t count = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (count <= 0) return -1;
  text[count] = '\0';
  const char* end = std::strrchr(text, ')');
  if (end == nullptr || std::strlen(end) < 5) return -1;
  pid_t parent = 0;
  for (const char* digit = end + 4; *digit >= '0' && *digit <= '9'; ++digit) parent = parent * 10 + (*digit - '0');
  return parent;
}

pid_t number(const char* text) {
  pid_t value = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9' || value > (1 << 26)) return -1;
    value = value * 10 + (*text - '0');
  }
  return value;
}

// Kills all children of this process. Theirs become ours when they are gone.
void kill_children(pid_t self) {
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char entries[1 << 14];
  while (true) {
    const long count = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (count <= 0) break;
    for (long at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      const pid_t pid = number(entry->d_name);
      if (pid > 0 && pid != self && parent_of(folder, entry->d_name) == self) ::kill(pid, SIGKILL);
    }
  }
  ::close(folder);
}

// Every signal is blocked since before the fork, and stays so.
int open_child_signals() {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &usual, nullptr);
  sigset_t ended;
  ::sigemptyset(&ended);
  ::sigaddset(&ended, SIGCHLD);
  return ::signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
}

void forget_child_signals(int signals) {
  signalfd_siginfo info{};
  while (::read(signals, &info, sizeof info) > 0) continue;
}

int open_process(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

[[noreturn]] void fail_to_start(const Plan& plan) {
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(plan.failure, &reason, sizeof reason);
  ::_exit(1);
}

constexpr int kLookAgainMs = 1000;  // for systems without process descriptors

// Watches over the supervisor, which the program can kill or stop as any process of its user.
class Guard {
 public:
  explicit Guard(const Plan& plan) : plan_(plan), self_(::getpid()) {}

  // Returns in the supervisor alone.
  void become_supervisor() {
    stand_apart("assay-guard", plan_);
    signals_ = open_child_signals();
    parent_ = open_process(plan_.parent);
    supervisor_ = ::_Fork();
    if (supervisor_ == 0) return;
    if (supervisor_ < 0) fail_to_start(plan_);
    for (const int fd : {plan_.input, plan_.output, plan_.errors, plan_.failure}) ::close(fd);
    wait_for_the_supervisor();
    end_everything();
    ::_exit(0);
  }
  pid_t pid() const { return self_; }

 private:
  void wait_for_the_supervisor() const {
    constexpr int kStepMs = 100;
    constexpr int kPatienceMs = 4000;  // it has to end everything by itself
    int waited_ms = 0;
    bool asked = false;
    while (true) {
      int status = 0;
      const pid_t seen = ::waitpid(supervisor_, &status, WNOHANG | WUNTRACED);
      if (seen == supervisor_ && WIFSTOPPED(status)) {
        ::kill(supervisor_, SIGKILL);
      } else if (seen != 0 && !(seen < 0 && errno == EINTR)) {
        return;
      }
      if (waited_ms > kPatienceMs) ::kill(supervisor_, SIGKILL);
      std::array<pollfd, 3> polls{pollfd{signals_, POLLIN, 0}, pollfd{asked ? -1 : plan_.control, POLLIN, 0},
                                  pollfd{asked ? -1 : parent_, POLLIN, 0}};
      ::poll(polls.data(), polls.size(), asked ? kStepMs : kLookAgainMs);
      forget_child_signals(signals_);
      if (asked) waited_ms += kStepMs;
      asked = asked || polls[1].revents != 0 || polls[2].revents != 0 || ::getppid() != plan_.parent;
    }
  }

  // What is left where the supervisor was killed.
  void end_everything() const {
    while (true) {
      pid_t gone = 0;
      do {
        gone = ::waitpid(-1, nullptr, WNOHANG);
      } while (gone > 0);
      if (gone < 0) return;
      kill_children(self_);
      pollfd ended{signals_, POLLIN, 0};
      ::poll(&ended, 1, 20);
      forget_child_signals(signals_);
    }
  }

  const Plan& plan_;
  pid_t self_;
  pid_t supervisor_ = -1;
  int signals_ = -1;
  int parent_ = -1;
};

class Supervisor {
 public:
  Supervisor(const Plan& plan, pid_t guard) : plan_(plan), self_(::getpid()), guard_(guard) {}

  [[noreturn]] void run() {
    prepare();
    program_ = ::_Fork();
    if (program_ == 0) become_program(plan_, self_);
    if (program_ < 0) fail_to_start(plan_);
    for (const int fd : {plan_.input, plan_.output, plan_.errors, plan_.failure}) ::close(fd);
    wait_for_a_reason_to_end();
    end_everything();
    ::_exit(0);
  }

 private:
  void prepare() {
    stand_apart("assay-supervise", plan_);
    child_ended_ = open_child_signals();
    // A second sign of the parent's end beside the closed socket, of which other forks may hold a copy.
    parent_ = open_process(plan_.parent);
    guard_ended_ = open_process(guard_);
  }

  void wait_for_a_reason_to_end() {
    while (!program_ended_) {
      if (::getppid() != guard_) return;
      std::array<pollfd, 4> polls{pollfd{plan_.control, POLLIN, 0}, pollfd{parent_, POLLIN, 0},
                                  pollfd{guard_ended_, POLLIN, 0}, pollfd{child_ended_, POLLIN, 0}};
      if (::poll(polls.data(), polls.size(), kLookAgainMs) < 0 && errno != EINTR) return;
      if (polls[0].revents != 0 || polls[1].revents != 0 || polls[2].revents != 0) return;
      forget_child_signals(child_ended_);
      reap();
    }
  }

  // False: there are no children left.
  bool reap() {
    while (true) {
      siginfo_t info{};
      if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != ECHILD;
      if (info.si_pid == 0) return true;
      if (info.si_pid == program_) {
        // Its group, before its number is given back: then nobody else can have that number.
        ::kill(-program_, SIGKILL);
        ProgramEnd end;
        (info.si_code == CLD_EXITED ? end.exit_status : end.signal) = info.si_status;
        ::send(plan_.control, &end, sizeof end, MSG_NOSIGNAL | MSG_DONTWAIT);
        program_ended_ = true;
      }
      ::waitpid(info.si_pid, nullptr, 0);
    }
  }

  void end_everything() {
    if (!program_ended_) ::kill(-program_, SIGKILL);
    int wait_ms = 1;
    while (reap()) {
      kill_children(self_);
      pollfd ended{child_ended_, POLLIN, 0};
      ::poll(&ended, 1, wait_ms);
      forget_child_signals(child_ended_);
      wait_ms = std::min(2 * wait_ms, 200);
    }
  }

  const Plan& plan_;
  pid_t self_;
  pid_t guard_;
  pid_t program_ = -1;
  bool program_ended_ = false;
  int child_ended_ = -1;
  int parent_ = -1;
  int guard_ended_ = -1;
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

Error start_error(std::string_view what, int reason) {
  return Error{fmt::format("{}: {}", what, std::strerror(reason)), {}, "", ExitCode::environment};
}

rlim_t limit_or_none(size_t bytes) {
  return bytes > 0 ? static_cast<rlim_t>(bytes) : RLIM_INFINITY;
}

// Forks with every signal blocked: no handler of ours may run in the supervisor.
pid_t fork_quietly() {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int reason = errno;
  if (pid != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return pid;
}

}  // namespace

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

Result<SupervisedProgram> start_supervised(const Command& command) {
  const std::string name = command.arguments.empty() ? "" : command.arguments[0];
  std::filesystem::path program = find_program(name);
  if (program.empty()) {
    return Error{fmt::format("the program '{}' was not found", name),
                 {},
                 "install it, or put its folder into PATH",
                 ExitCode::environment};
  }
  program = std::filesystem::absolute(program);  // relative to our folder, not to the one that it will run in
  Pair control, input, output, errors, failure;
  if (!control.open_socket() || !input.open_pipe(true) || !output.open_pipe(false) || !errors.open_pipe(false) ||
      !failure.open_pipe(false)) {
    return start_error("cannot open pipes", errno);
  }
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = merged_environment(command.environment);
  const std::vector<char*> argv = as_argv(arguments);
  const std::vector<char*> envp = as_argv(environment);
  const Plan plan{.program = program.c_str(),
                  .argv = argv.data(),
                  .envp = envp.data(),
                  .folder = command.folder.empty() ? nullptr : command.folder.c_str(),
                  .address_space = limit_or_none(command.memory_limit_bytes),
                  .data = limit_or_none(command.data_limit_bytes),
                  .parent = ::getpid(),
                  .control = control.far,
                  .input = input.far,
                  .output = output.far,
                  .errors = errors.far,
                  .failure = failure.far};
  ::signal(SIGPIPE, SIG_IGN);
  const pid_t supervisor = fork_quietly();
  if (supervisor < 0) return start_error("cannot start a process", errno);
  if (supervisor == 0) {
    Guard guard(plan);
    guard.become_supervisor();
    Supervisor(plan, guard.pid()).run();
  }
  for (Pair* pair : {&control, &input, &output, &errors, &failure}) pair->close_far();

  int reason = 0;
  ssize_t count = 0;
  do {
    count = ::read(failure.near, &reason, sizeof reason);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof reason) {
    end_supervised(supervisor, control.take_near());
    return start_error(fmt::format("cannot start '{}'", program.string()), reason);
  }
  for (const Pair* pair : {&input, &output, &errors}) ::fcntl(pair->near, F_SETFL, O_NONBLOCK);
  return SupervisedProgram{supervisor, control.take_near(), input.take_near(), output.take_near(), errors.take_near()};
}

std::optional<ProgramEnd> program_end(int control, std::chrono::milliseconds limit) {
  pollfd ready{control, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(limit.count())) <= 0) return std::nullopt;
  ProgramEnd end;
  if (::recv(control, &end, sizeof end, MSG_DONTWAIT) != sizeof end) return std::nullopt;
  return end;
}

std::optional<ProgramEnd> end_supervised(pid_t supervisor, int control) {
  ::shutdown(control, SHUT_WR);  // the supervisor sees the end of the socket
  ::kill(supervisor, SIGCONT);   // should somebody have stopped it
  const auto deadline = std::chrono::steady_clock::now() + kEndLimit;
  std::optional<ProgramEnd> end;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    pollfd ready{control, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) break;
    ProgramEnd said;
    const ssize_t count = ::recv(control, &said, sizeof said, MSG_DONTWAIT);
    if (count == sizeof said) {
      end = said;
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      break;  // closed: nothing is left
    }
  }
  ::close(control);
  for (int i = 0; i < 1000 && ::waitpid(supervisor, nullptr, WNOHANG) == 0; ++i) ::usleep(1000);
  return end;
}

}  // namespace assay
