// SPDX-License-Identifier: MIT
// Child programs: started from an argument list (no shell), with a time limit, their output collected.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay {

struct Command {
  std::vector<std::string> arguments;              // the program first; looked up in PATH if it has no slash
  std::filesystem::path folder;                    // working folder; empty: ours
  std::string input;                               // given on standard input
  std::map<std::string, std::string> environment;  // added to ours
  std::chrono::milliseconds time_limit{std::chrono::minutes(10)};
  size_t output_limit_bytes = size_t{64} << 20;  // of each stream; more is dropped and said so
  size_t memory_limit_bytes = 0;                 // address space of the child; 0: no limit
};

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

// An error means that the program could not be started; how it ended is in the outcome.
Result<ProcessOutcome> run(const Command& command);

// The program's full path, or an empty path if it is not in PATH.
std::filesystem::path find_program(const std::string& name);

}  // namespace assay
