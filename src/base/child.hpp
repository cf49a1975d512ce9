// SPDX-License-Identifier: MIT
// A child program with pipes, for work that may crash or hang and must not take us with it. It and whatever it starts
// end with this object, with the program itself, and with us (base/supervisor.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/command.hpp"
#include "base/result.hpp"
#include "base/supervisor.hpp"

namespace assay {

class Child {
 public:
  using Clock = std::chrono::steady_clock;
  // A line without end (beyond this many bytes) counts as an end: it is no answer.
  static constexpr size_t kLineLimit = size_t{256} << 20;

  static Result<std::unique_ptr<Child>> start(const Command& command);
  // One that answers line by line, with the limits of line_by_line().
  static Result<std::unique_ptr<Child>> start(const std::vector<std::string>& arguments);
  ~Child();  // ends it if it still runs
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // --- line by line. What it writes meanwhile is read, so that neither side waits for the other.
  enum class Sent { all, ended, timed_out };  // ended: it no longer listens
  Sent send(const std::string& line, std::chrono::milliseconds time_limit);
  enum class Answer { line, ended, timed_out };
  Answer receive(std::string& line, std::chrono::milliseconds time_limit);
  // Both, within the limit together.
  Answer ask(const std::string& request, std::string& answer, std::chrono::milliseconds time_limit);

  // --- or all at once: feeds the input, closes it and collects both outputs. False: it still ran at the deadline, or
  // when `unwanted`, which is asked several times a second, said that nobody waits any more.
  bool finish(std::string_view input, Clock::time_point deadline, const std::function<bool()>& unwanted = {});
  std::string take_output() { return std::move(buffer_); }
  bool output_cut() const { return output_cut_; }

  // How it ended, in words; ends it first if it still runs.
  std::string stop();
  const std::optional<ProgramEnd>& end() const { return end_; }  // known after stop(), and often before
  const std::string& errors() const { return errors_; }          // its standard error, up to a limit

 private:
  explicit Child(const SupervisedProgram& program, const Command& command)
      : program_(program), output_limit_(command.output_limit_bytes), errors_limit_(command.errors_limit_bytes) {}
  bool move_bytes(std::string_view& to_send, Clock::time_point deadline);
  void read_into(std::string& text, int& pipe, size_t limit, bool& cut);
  void write_from(std::string_view& text);
  void close_pipes();

  SupervisedProgram program_;
  size_t output_limit_;
  size_t errors_limit_;
  std::string buffer_;   // of standard output, not yet taken
  size_t searched_ = 0;  // bytes of it that are known to hold no end of line
  bool output_cut_ = false;
  bool errors_cut_ = false;
  std::string errors_;
  std::optional<ProgramEnd> end_;
};

// From now on nobody waits for a child of this process, and no further one starts: what waits is told that the time is
// up. Safe in a signal handler. Commands call it when they are interrupted.
void stop_waiting_for_children() noexcept;

// A program whose answers are lines: its output may be as long as a line, its errors are kept up to a limit.
Command line_by_line(const std::vector<std::string>& arguments);

}  // namespace assay
