// SPDX-License-Identifier: MIT
#include "base/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace assay {
namespace {

constexpr size_t kErrorLimit = 1 << 20;

Error start_error(std::string_view what) {
  return Error{fmt::format("{}: {}", what, std::strerror(errno)), {}, "", ExitCode::environment};
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& arguments) {
  std::array<int, 2> input{}, output{}, errors{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0 || ::pipe2(errors.data(), O_CLOEXEC) != 0) {
    return start_error("cannot open pipes");
  }
  std::vector<std::string> strings = arguments;
  std::vector<char*> argv;
  for (std::string& text : strings) argv.push_back(text.data());
  argv.push_back(nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const pid_t pid = ::fork();
  if (pid < 0) return start_error("cannot start a process");
  if (pid == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // our end, however it comes, is its end
    ::dup2(input[0], 0), ::dup2(output[1], 1), ::dup2(errors[1], 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::setpgid(pid, pid);
  ::close(input[0]), ::close(output[1]), ::close(errors[1]);
  return std::unique_ptr<Child>(new Child(pid, input[1], output[0], errors[0]));
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
    if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return Answer::line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return Answer::timed_out;
    std::array<pollfd, 2> polls{pollfd{output_, POLLIN, 0}, pollfd{error_pipe_, POLLIN, 0}};
    if (::poll(polls.data(), polls.size(), static_cast<int>(std::min<long long>(left, 60'000))) < 0 && errno != EINTR) return Answer::ended;
    char bytes[1 << 16];
    if ((polls[1].revents & POLLIN) != 0) {
      const ssize_t count = ::read(error_pipe_, bytes, sizeof bytes);
      if (count > 0 && errors_.size() < kErrorLimit) errors_.append(bytes, static_cast<size_t>(count));
    }
    if (polls[0].revents != 0) {
      const ssize_t count = ::read(output_, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Answer::ended;
      buffer_.append(bytes, static_cast<size_t>(count));
    }
  }
}

void Child::close_pipes() {
  for (int* end : {&input_, &output_, &error_pipe_}) {
    if (*end >= 0) ::close(*end);
    *end = -1;
  }
}

std::string Child::stop() {
  if (pid_ < 0) return "has ended";
  int status = 0;
  std::string how = "was stopped";
  // It may be ending by itself just now: its own way of ending is the more interesting one.
  for (int attempt = 0; attempt < 20 && pid_ > 0; ++attempt) {
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      how = WIFSIGNALED(status) ? fmt::format("was killed by SIG{}", ::sigabbrev_np(WTERMSIG(status))) : fmt::format("exited with {}", WEXITSTATUS(status));
      pid_ = -1;
      close_pipes();
      return how;
    }
    if (output_ >= 0 && attempt == 0) {
      pollfd ended{output_, POLLIN, 0};
      if (::poll(&ended, 1, 0) == 0) break;  // alive and silent
    }
    ::usleep(2000);
  }
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  close_pipes();
  return how;
}

}  // namespace assay
