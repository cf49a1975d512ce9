// SPDX-License-Identifier: MIT
#include "cli/terminal_listener.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.hpp"
#include "base/screen.hpp"
#include "cli/command.hpp"

namespace assay::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::atomic<TerminalListener*> at_work{nullptr};

// A line that wraps cannot be rewritten, so it ends before the terminal does.
size_t line_width() {
  constexpr size_t kMost = 110;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? std::min<size_t>(kMost, size.ws_col - 1u) : kMost;
}

bool is(const char* variable, std::string_view wanted) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value == wanted;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::string duration_text(double s) {
  return s < 100 ? fmt::format("{:.0f} s", s) : fmt::format("{:.0f} min", s / 60);
}

}  // namespace

TerminalListener::Screen TerminalListener::screen() {
  if (::isatty(STDERR_FILENO) != 1) return Screen::log;
  if (is("TERM", "dumb")) return Screen::dumb;
  return is_set("NO_COLOR") ? Screen::plain : Screen::full;
}

TerminalListener::TerminalListener(bool quiet, std::string idle)
    : quiet_(quiet), screen_(screen()), idle_(std::move(idle)) {
  restart(idle_, 0);
  at_work = this;
  if (!quiet_) ticker_ = std::jthread([this](const std::stop_token& stop) { keep_talking(stop); });
}

TerminalListener::~TerminalListener() {
  at_work = nullptr;
  ticker_.request_stop();
  woken_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  const std::lock_guard lock(mutex_);
  clear();
}

void TerminalListener::restart(const std::string& title, size_t pieces) {
  title_ = title;
  last_.clear();
  pieces_ = pieces;
  done_ = 0;
  start_ = last_piece_ = last_shown_ = Clock::now();
  pause_ = screen_ == Screen::log ? seconds(5) : seconds(2);
}

void TerminalListener::keep_talking(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    woken_.wait_for(lock, stop, seconds(1), [] { return false; });
    if (!stop.stop_requested() && Clock::now() - last_shown_ >= (rewrites() ? milliseconds(900) : pause_)) show();
  }
}

void TerminalListener::begin(const std::string& title, size_t pieces) {
  const std::lock_guard lock(mutex_);
  clear();
  restart(title, pieces);
}

void TerminalListener::advance(const std::string& piece) {
  const std::lock_guard lock(mutex_);
  ++done_;
  last_piece_ = Clock::now();
  last_ = piece;
  show_if_due();
}

void TerminalListener::step(const std::string& what) {
  const std::lock_guard lock(mutex_);
  last_ = what;
  show_if_due();
}

void TerminalListener::show_if_due() {
  // A terminal gets 20 updates a second.
  if (Clock::now() - last_shown_ >= (rewrites() ? milliseconds(50) : pause_)) show();
}

void TerminalListener::note(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (quiet_) return;
  clear();
  print_to_errors(fmt::format("{}\n", line));
}

void TerminalListener::warn(const std::string& line) {
  const std::lock_guard lock(mutex_);
  clear();
  print_to_errors(fmt::format("assay: warning: {}\n", line));
}

void TerminalListener::end() {
  const std::lock_guard lock(mutex_);
  clear();
  restart(idle_, 0);
}

void TerminalListener::make_room() {
  const std::lock_guard lock(mutex_);
  clear();
}

// The time left is shown only while the pieces so far predict it: not before the first is done, and no longer once the
// present one takes far longer than they did (shapes grow).
std::string TerminalListener::time_text(double now_s) const {
  const double piece_s = std::chrono::duration<double>(Clock::now() - last_piece_).count();
  const double usual_s = done_ > 0 ? (now_s - piece_s) / static_cast<double>(done_) : 0;
  const double left_s = pieces_ > done_ ? usual_s * static_cast<double>(pieces_ - done_) - piece_s : 0;
  if (done_ > 0 && piece_s <= 2 * usual_s && left_s >= 1) return duration_text(left_s) + " left";
  return duration_text(now_s);
}

std::string TerminalListener::line() const {
  const double now_s = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string text = title_;
  if (pieces_ > 0) text += fmt::format(" {}/{}", done_, pieces_);
  text += ", " + time_text(now_s);
  if (!last_.empty()) text += "  " + escape_terminal(last_);
  return text;
}

void TerminalListener::show() {
  if (quiet_) return;
  last_shown_ = Clock::now();
  std::string text = line();
  if (!rewrites()) {
    print_to_errors(fmt::format("{}\n", text));
    pause_ = std::min<Clock::duration>(2 * pause_, seconds(60));
    return;
  }
  if (const size_t width = line_width(); text.size() > width) text.resize(width);
  if (screen_ == Screen::full) {
    print_to_errors(fmt::format("{}{}{}", screen_return(), screen_sequence("K"), text));
  } else {
    print_to_errors(fmt::format("{}{}{}", screen_return(), text,
                                std::string(shown_columns_ - std::min(shown_columns_, text.size()), ' ')));
  }
  std::fflush(stderr);
  shown_columns_ = text.size();
}

void TerminalListener::clear() {
  if (shown_columns_ == 0) return;
  if (screen_ == Screen::full) {
    print_to_errors(fmt::format("{}{}", screen_return(), screen_sequence("K")));
  } else {
    print_to_errors(fmt::format("{}{}{}", screen_return(), std::string(shown_columns_, ' '), screen_return()));
  }
  std::fflush(stderr);
  shown_columns_ = 0;
}

void make_room_for_output() {
  if (TerminalListener* const listener = at_work) listener->make_room();
}

}  // namespace assay::cli
