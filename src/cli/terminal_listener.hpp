// SPDX-License-Identifier: MIT
// Progress on standard error: one line that rewrites itself on a terminal, plain lines elsewhere. On a terminal there
// is never silence for longer than two seconds; a log gets a line after five seconds, then more and more rarely, at
// least once a minute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "assay/context.hpp"

namespace assay::cli {

class TerminalListener final : public Listener {
 public:
  // `idle` is shown between pieces of work that have a name: the command. `quiet` shows warnings alone (for --json runs
  // whose caller reads standard error too).
  explicit TerminalListener(bool quiet, std::string idle = "working");
  ~TerminalListener() override;
  TerminalListener(const TerminalListener&) = delete;
  TerminalListener& operator=(const TerminalListener&) = delete;

  void begin(const std::string& title, size_t pieces) override;
  void advance(const std::string& piece) override;
  void step(const std::string& what) override;
  void note(const std::string& line) override;
  void end() override;
  void warn(const std::string& line) override;

  // Makes room for text on standard output, which is the same screen.
  void make_room();

 private:
  using Clock = std::chrono::steady_clock;
  // What standard error is: a file or pipe, a terminal that cannot move its cursor, one on which escapes are unwanted,
  // or one that has all it takes.
  enum class Screen { log, dumb, plain, full };
  static Screen screen();

  bool rewrites() const { return screen_ == Screen::plain || screen_ == Screen::full; }
  void keep_talking(const std::stop_token& stop);
  void show_if_due();
  void show();
  std::string line() const;
  std::string time_text(double now_s) const;
  void restart(const std::string& title, size_t pieces);
  void clear();

  const bool quiet_;
  const Screen screen_;
  const std::string idle_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::string title_;
  std::string last_;  // what was said last
  size_t pieces_ = 0;
  size_t done_ = 0;
  size_t shown_columns_ = 0;  // of the line that stands on the screen; 0: there is none
  Clock::time_point start_;   // of this work
  Clock::time_point last_piece_;
  Clock::time_point last_shown_;
  Clock::duration pause_{};  // between lines of a log
  std::jthread ticker_;      // says that work goes on while nothing else is said
};

// Makes room on the screen if a listener is at work.
void make_room_for_output();

}  // namespace assay::cli
