// SPDX-License-Identifier: MIT
// A child program that answers line by line: for work that may crash or hang and must not take us with it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.hpp"

namespace assay {

class Child {
 public:
  static Result<std::unique_ptr<Child>> start(const std::vector<std::string>& arguments);
  ~Child();  // ends it if it still runs
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool send(const std::string& line);  // false: it no longer listens
  // A line without end (beyond kLineLimit bytes) counts as an end: it is no answer.
  static constexpr size_t kLineLimit = size_t{256} << 20;
  enum class Answer { line, ended, timed_out };
  Answer receive(std::string& line, std::chrono::milliseconds time_limit);

  // How it ended, in words; ends it first if it still runs.
  std::string stop();
  const std::string& errors() const { return errors_; }  // its standard error, up to a limit

 private:
  Child(pid_t pid, int input, int output, int errors)
      : pid_(pid), input_(input), output_(output), error_pipe_(errors) {}
  void read_errors();
  void close_pipes();

  pid_t pid_;
  int input_;
  int output_;
  int error_pipe_;
  std::string buffer_;
  size_t searched_ = 0;  // bytes of the buffer that are known to hold no end of line
  std::string errors_;
};

}  // namespace assay
