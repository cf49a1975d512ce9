// SPDX-License-Identifier: MIT
// A program to start: an argument list (no shell), where it works, and what it may use.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay {

struct Command {
  std::vector<std::string> arguments;              // the program first; looked up in PATH if it has no slash
  std::filesystem::path folder;                    // working folder; empty: ours
  std::string input;                               // given on standard input by run()
  std::map<std::string, std::string> environment;  // added to ours
  std::chrono::milliseconds time_limit{std::chrono::minutes(10)};  // of run()
  size_t output_limit_bytes = size_t{64} << 20;                    // of standard output; more is dropped and said so
  size_t errors_limit_bytes = size_t{64} << 20;                    // of standard error
  size_t memory_limit_bytes = 0;                                   // address space of each process; 0: no limit
  size_t data_limit_bytes = 0;  // private memory that can be written: for programs that reserve far more address
                                // space than they use, as CUDA's do; 0: no limit
};

// The program's full path, or an empty path if it is not in PATH.
std::filesystem::path find_program(const std::string& name);

}  // namespace assay
