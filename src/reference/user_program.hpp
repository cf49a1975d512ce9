// SPDX-License-Identifier: MIT
// A function that the user wrote, in C++ (include/assay/reference.h, include/assay/launch.h) or in Python, as a program
// of its own: our binary may be static and cannot load libraries, and a crash or a hang must not be ours.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::reference {

enum class ProgramRole {
  reference,  // assay_reference: what the outputs should be
  compare,    // assay_compare: whether the outputs are right
  input,      // assay_input: what an input holds
  launch,     // assay_launch: which kernels to launch; C++ alone
};

std::string_view noun(ProgramRole role);  // "reference", "comparison", ...

struct UserProgramOptions {
  std::filesystem::path cache_folder;  // where compiled programs are kept; made if it is not there
  std::string compiler = "c++";
  std::chrono::milliseconds compile_time_limit{std::chrono::minutes(2)};
  std::chrono::milliseconds run_time_limit{std::chrono::minutes(1)};
  size_t memory_limit_bytes = size_t{16} << 30;
};

class UserProgram {
 public:
  // C++ is compiled unless the same text (with all that it includes), flags and compiler were compiled before. Python
  // needs an interpreter with NumPy: $ASSAY_PYTHON, else python3.
  static Result<UserProgram> open(const std::filesystem::path& source, ProgramRole role,
                                  const UserProgramOptions& options);

  // Runs it on a request and returns its response. How it crashed, hung or said nothing is in the error.
  Result<std::string> run(const std::string& request) const;

  const std::filesystem::path& source() const { return source_; }
  const std::filesystem::path& program() const { return program_; }  // what was compiled, or the interpreter's script
  ProgramRole role() const { return role_; }
  Error located(Error error) const;  // at the source, unless it has a place

 private:
  UserProgram(std::filesystem::path source, std::filesystem::path program, std::vector<std::string> command,
              ProgramRole role, UserProgramOptions options)
      : source_(std::move(source)),
        program_(std::move(program)),
        command_(std::move(command)),
        role_(role),
        options_(std::move(options)) {}

  std::filesystem::path source_;
  std::filesystem::path program_;
  std::vector<std::string> command_;
  ProgramRole role_;
  UserProgramOptions options_;
};

// A launch function as a shared library for programs that are not ours: const char* assay_plan(const char* request).
Result<std::string> launch_library(const std::filesystem::path& source, const UserProgramOptions& options);

}  // namespace assay::reference
