// SPDX-License-Identifier: MIT
#include "base/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.hpp"

namespace assay {
namespace {

constexpr size_t kErrorLimit = 1 << 20;

Error start_error(std::string_view what) {
  return Error{fmt::format("{}: {}", what, std::strerror(errno)), {}, "", ExitCode::environment};
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& arguments) {
  if (arguments.empty() || ::access(arguments[0].c_str(), X_OK) != 0) {
    return start_error(fmt::format("cannot start '{}'", arguments.empty() ? "" : arguments[0]));
  }
  std::array<int, 6> ends;
  ends.fill(-1);
  const auto give_up = [&](std::string_view what) {
    Error error = start_error(what);
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
    return error;
  };
  for (size_t i = 0; i < ends.size(); i += 2) {
    if (::pipe2(&ends[i], O_CLOEXEC) != 0) return give_up("cannot open pipes");
  }
  const auto [input_read, input_write, output_read, output_write, errors_read, errors_write] = ends;
  std::vector<std::string> strings = arguments;
  std::vector<char*> argv;
  argv.reserve(strings.size() + 1);
  for (std::string& text : strings) argv.push_back(text.data());
  argv.push_back(nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const pid_t pid = ::fork();
  if (pid < 0) return give_up("cannot start a process");
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // our end, however it comes, is its end
    ::dup2(input_read, 0), ::dup2(output_write, 1), ::dup2(errors_write, 2);
    ::signal(SIGPIPE, SIG_DFL);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::setpgid(pid, pid);
  ::close(input_read), ::close(output_write), ::close(errors_write);
  ::fcntl(errors_read, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Child>(new Child(pid, input_write, output_read, errors_read));
}

Child::~Child() {
  stop();
}

bool Child::send(const std::string& line) {
  std::string text = line + "\n";
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::write(input_, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

Child::Answer Child::receive(std::string& line, std::chrono::milliseconds time_limit) {
  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  while (true) {
    if (const size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return Answer::line;
    }
    searched_ = buffer_.size();
    if (searched_ > kLineLimit) return Answer::ended;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return Answer::timed_out;
    std::array<pollfd, 2> polls{pollfd{output_, POLLIN, 0}, pollfd{error_pipe_, POLLIN, 0}};
    if (::poll(polls.data(), polls.size(), static_cast<int>(std::min<long long>(left, 60'000))) < 0) {
      if (errno == EINTR) continue;
      return Answer::ended;
    }
    if (polls[1].revents != 0) read_errors();
    if (polls[0].revents != 0) {
      char bytes[1 << 16];
      const ssize_t count = ::read(output_, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Answer::ended;
      buffer_.append(bytes, static_cast<size_t>(count));
    }
  }
}

// What is there now, never waiting for more.
void Child::read_errors() {
  char bytes[1 << 14];
  for (int i = 0; i < 64 && error_pipe_ >= 0; ++i) {
    const ssize_t count = ::read(error_pipe_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      ::close(error_pipe_);  // a closed pipe is always "ready" and would keep the loop above awake
      error_pipe_ = -1;
      return;
    }
    const size_t room = kErrorLimit - std::min(kErrorLimit, errors_.size());
    errors_.append(bytes, std::min(room, static_cast<size_t>(count)));
  }
}

void Child::close_pipes() {
  read_errors();
  for (int* end : {&input_, &output_, &error_pipe_}) {
    if (*end >= 0) ::close(*end);
    *end = -1;
  }
}

std::string Child::stop() {
  if (pid_ < 0) return "has ended";
  std::string how = "was stopped";
  // It may be ending by itself just now: its own way of ending is the more interesting one.
  for (int attempt = 0; attempt < 20; ++attempt) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_) {
      how = info.si_code == CLD_EXITED ? fmt::format("exited with {}", info.si_status)
                                       : "was killed by " + signal_name(info.si_status);
      break;
    }
    pollfd ended{output_, POLLIN, 0};
    if (attempt == 0 && ::poll(&ended, 1, 0) == 0) break;  // alive and silent
    ::usleep(2000);
  }
  // Also whatever it left running. Before its number is given back: then nobody else can have that number.
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
  close_pipes();
  return how;
}

}  // namespace assay
