// SPDX-License-Identifier: MIT
#include "base/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace assay {
namespace {

// A line that wraps cannot be rewritten, so it ends before the terminal does.
size_t line_width() {
  constexpr size_t kMost = 110;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? std::min<size_t>(kMost, size.ws_col - 1u) : kMost;
}

}  // namespace

using std::chrono::steady_clock;

Progress::Progress(std::string title, size_t total, bool quiet)
    : title_(std::move(title)),
      total_(total),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(steady_clock::now()),
      last_shown_(start_) {}

Progress::~Progress() {
  clear();
}

void Progress::advance(const std::string& what) {
  const std::lock_guard lock(mutex_);
  ++done_;
  show_if_due(what);
}

void Progress::step(const std::string& what) {
  const std::lock_guard lock(mutex_);
  show_if_due(what);
}

void Progress::show_if_due(const std::string& what) {
  const auto now = steady_clock::now();
  // A terminal gets 20 updates a second; a log gets a line every five seconds, and nothing for short work.
  const auto pause = terminal_ ? std::chrono::milliseconds(50) : std::chrono::milliseconds(5000);
  if (now - last_shown_ < pause) return;
  last_shown_ = now;
  show(what);
}

void Progress::note(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (quiet_) return;
  clear();
  fmt::print(stderr, "{}\n", line);
}

void Progress::show(const std::string& what) {
  if (quiet_) return;
  const double spent_s = std::chrono::duration<double>(steady_clock::now() - start_).count();
  const double left_s =
      done_ > 0 && total_ > done_ ? spent_s / static_cast<double>(done_) * static_cast<double>(total_ - done_) : 0;
  std::string line = fmt::format("{} {}/{}, {:.0f} s left  {}", title_, done_, total_, left_s, what);
  if (!terminal_) {
    fmt::print(stderr, "{}\n", line);
    return;
  }
  if (const size_t width = line_width(); line.size() > width) line.resize(width);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  line_open_ = true;
}

void Progress::clear() {
  if (line_open_) std::fputs("\r\x1b[K", stderr), std::fflush(stderr);
  line_open_ = false;
}

}  // namespace assay
