// SPDX-License-Identifier: MIT
#include "base/child.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/process.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

constexpr size_t kErrorsOfLines = 1 << 20;
// A program has ended, and so has what it left behind, unless that cannot be ended: then its pipes stay open.
constexpr std::chrono::seconds kAfterTheEnd{5};
constexpr milliseconds kBetweenQuestions{100};  // whether a program is still wanted

std::atomic<bool> no_more_children{false};

// Becomes readable, and stays so, when nobody is to wait any more. A process that was forked has one of its own: what
// stops it is not to stop its parent.
int stop_event() {
  static std::atomic<int> event{-1};
  static std::atomic<pid_t> owner{-1};
  if (owner.load() != ::getpid()) {
    event.store(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    owner.store(::getpid());
  }
  return event.load();
}

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

}  // namespace

void stop_waiting_for_children() noexcept {
  no_more_children.store(true);
  constexpr uint64_t kOne = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_event(), &kOne, sizeof kOne);
}

Result<std::unique_ptr<Child>> Child::start(const Command& command) {
  stop_event();  // made here: a signal handler only writes to it
  if (no_more_children.load()) return Error{"interrupted", {}, "", ExitCode::environment};
  ASSAY_TRY(const SupervisedProgram program, start_supervised(command));
  return std::unique_ptr<Child>(new Child(program, command));
}

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& arguments) {
  return start(line_by_line(arguments));
}

Command line_by_line(const std::vector<std::string>& arguments) {
  Command command;
  command.arguments = arguments;
  command.output_limit_bytes = Child::kLineLimit;
  command.errors_limit_bytes = kErrorsOfLines;
  return command;
}

// Only the text that stop() returns may throw, where there is no memory for a line; then ending is right.
// NOLINTNEXTLINE(bugprone-exception-escape)
Child::~Child() {
  stop();
}

// Appends what is there now, never waiting for more; what is beyond the limit is dropped.
void Child::read_into(std::string& text, int& pipe, size_t limit, bool& cut) {
  char bytes[1 << 16];
  // Not for ever: it may write faster than we read.
  for (int i = 0; i < 64 && pipe >= 0; ++i) {
    const ssize_t count = ::read(pipe, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close_end(pipe);  // a closed pipe is always "ready" and would keep a loop awake
    const size_t room = limit - std::min(limit, text.size());
    text.append(bytes, std::min(room, static_cast<size_t>(count)));
    cut |= static_cast<size_t>(count) > room;
  }
}

void Child::write_from(std::string_view& text) {
  const ssize_t count = ::write(program_.input, text.data(), text.size());
  if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  if (count < 0 && errno != EAGAIN && errno != EINTR) close_end(program_.input);
}

// Waits until bytes can go either way and moves them. False at the deadline.
bool Child::move_bytes(std::string_view& to_send, Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) return false;
  std::array<pollfd, 5> polls{pollfd{program_.output, POLLIN, 0}, pollfd{program_.errors, POLLIN, 0},
                              pollfd{to_send.empty() ? -1 : program_.input, POLLOUT, 0},
                              pollfd{end_ ? -1 : program_.control, POLLIN, 0}, pollfd{stop_event(), POLLIN, 0}};
  if (::poll(polls.data(), polls.size(), static_cast<int>(std::min<long long>(left + 1, 60'000))) < 0) return true;
  if (polls[0].revents != 0) read_into(buffer_, program_.output, output_limit_, output_cut_);
  if (polls[1].revents != 0) read_into(errors_, program_.errors, errors_limit_, errors_cut_);
  if (polls[2].revents != 0) write_from(to_send);
  // Nothing said and nobody there: the supervisor itself was killed, and the program with it.
  if (polls[3].revents != 0) end_ = program_end(program_.control, milliseconds(0)).value_or(ProgramEnd{-1, SIGKILL});
  return polls[4].revents == 0;
}

Child::Sent Child::send(const std::string& line, milliseconds time_limit) {
  const std::string text = line + "\n";
  std::string_view rest = text;
  const Clock::time_point deadline = Clock::now() + time_limit;
  while (!rest.empty()) {
    if (program_.input < 0 || end_ || output_cut_) return Sent::ended;
    if (!move_bytes(rest, deadline)) return Sent::timed_out;
  }
  return Sent::all;
}

Child::Answer Child::receive(std::string& line, milliseconds time_limit) {
  const Clock::time_point deadline = Clock::now() + time_limit;
  std::string_view nothing;
  while (true) {
    if (const size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      searched_ = 0;
      return Answer::line;
    }
    searched_ = buffer_.size();
    if (program_.output < 0 || output_cut_) return Answer::ended;
    if (!move_bytes(nothing, deadline)) return Answer::timed_out;
  }
}

Child::Answer Child::ask(const std::string& request, std::string& answer, milliseconds time_limit) {
  const Clock::time_point deadline = Clock::now() + time_limit;
  switch (send(request, time_limit)) {
    case Sent::ended:
      return Answer::ended;
    case Sent::timed_out:
      return Answer::timed_out;
    case Sent::all:
      break;
  }
  return receive(answer, std::chrono::duration_cast<milliseconds>(deadline - Clock::now()));
}

bool Child::finish(std::string_view input, Clock::time_point deadline, const std::function<bool()>& unwanted) {
  if (input.empty()) close_end(program_.input);
  std::optional<Clock::time_point> last;  // for pipes that stay open
  while (!end_ || program_.output >= 0 || program_.errors >= 0) {
    if (unwanted && unwanted()) return end_.has_value();
    if (end_ && !last) last = Clock::now() + kAfterTheEnd;
    const Clock::time_point until = last.value_or(deadline);
    if (!move_bytes(input, unwanted ? std::min(until, Clock::now() + kBetweenQuestions) : until))
      return end_.has_value();
    if (input.empty()) close_end(program_.input);
  }
  return true;
}

void Child::close_pipes() {
  read_into(buffer_, program_.output, output_limit_, output_cut_);
  read_into(errors_, program_.errors, errors_limit_, errors_cut_);
  for (int* end : {&program_.input, &program_.output, &program_.errors}) close_end(*end);
}

std::string Child::stop() {
  if (program_.supervisor < 0) return "has ended";
  // It may be ending by itself just now: its own way of ending is the more interesting one.
  if (!end_ && (program_.output < 0 || program_.input < 0)) end_ = program_end(program_.control, milliseconds(40));
  const bool by_itself = end_.has_value();
  const std::optional<ProgramEnd> at_last = end_supervised(program_.supervisor, program_.control);
  program_.supervisor = -1;
  close_pipes();
  if (!end_) end_ = at_last;
  if (!end_ || (!by_itself && end_->signal == SIGKILL)) return "was stopped";
  return end_->signal != 0 ? "was killed by " + signal_name(end_->signal)
                           : fmt::format("exited with {}", end_->exit_status);
}

}  // namespace assay
