// SPDX-License-Identifier: MIT
// Programs that run to their end: their output collected, with a time limit.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/command.hpp"
#include "base/result.hpp"

namespace assay {

struct ProcessOutcome {
  int exit_status = -1;     // meaningful if it ended by itself
  int signal = 0;           // the signal that ended it, or 0
  bool timed_out = false;   // we ended it, and the processes that it started
  bool output_cut = false;  // it wrote more than the limit
  std::string output;       // standard output
  std::string errors;       // standard error
  std::chrono::nanoseconds duration{0};

  bool succeeded() const { return exit_status == 0 && signal == 0 && !timed_out; }
};

std::string signal_name(int signal);                      // "SIGSEGV"; "signal 34" if it has no name
std::string describe_end(const ProcessOutcome& outcome);  // "exited with 1", "was killed by SIGSEGV", ...

// An error means that the program could not be started; how it ended is in the outcome. Whatever it left running has
// ended too.
Result<ProcessOutcome> run(const Command& command);
// The same, ended as soon as `unwanted` says so; it is asked several times a second.
Result<ProcessOutcome> run(const Command& command, const std::function<bool()>& unwanted);

}  // namespace assay
