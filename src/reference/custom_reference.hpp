// SPDX-License-Identifier: MIT
// A reference that the user wrote (include/assay/reference.h): compiled into a program of its own, because our binary
// may be static and cannot load libraries, and because a crash or a hang must not be ours.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "reference/problem.hpp"

namespace assay::reference {

struct CustomReferenceOptions {
  std::filesystem::path cache_folder;  // where compiled references are kept; made if it is not there
  std::string compiler = "c++";
  std::chrono::milliseconds compile_time_limit{std::chrono::minutes(2)};
  std::chrono::milliseconds run_time_limit{std::chrono::minutes(1)};
  size_t memory_limit_bytes = size_t{16} << 30;
};

class CustomReference {
 public:
  // Compiles the file unless the same text (with all that it includes), flags and compiler were compiled before.
  static Result<CustomReference> compile(const std::filesystem::path& source, const CustomReferenceOptions& options);

  // Runs the program on the problem. How it crashed, hung or answered nonsense is in the error.
  Result<Outputs> evaluate(const Problem& problem) const;

  const std::filesystem::path& program() const { return program_; }

 private:
  CustomReference(std::filesystem::path source, std::filesystem::path program, CustomReferenceOptions options)
      : source_(std::move(source)), program_(std::move(program)), options_(std::move(options)) {}

  std::filesystem::path source_;
  std::filesystem::path program_;
  CustomReferenceOptions options_;
};

}  // namespace assay::reference
