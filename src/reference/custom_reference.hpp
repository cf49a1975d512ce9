// SPDX-License-Identifier: MIT
// A reference, a comparison or an input function that the user wrote.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reference/problem.hpp"
#include "reference/user_program.hpp"

namespace assay::reference {

using CustomReferenceOptions = UserProgramOptions;

class CustomReference {
 public:
  static Result<CustomReference> compile(const std::filesystem::path& source, const CustomReferenceOptions& options,
                                         ProgramRole role = ProgramRole::reference);

  // Runs the program on the problem. How it crashed, hung or answered nonsense is in the error.
  Result<Outputs> evaluate(const Problem& problem) const;
  // Of a comparison: why the outputs, which are among the problem's inputs, are wrong; nothing if they are right.
  Result<std::optional<std::string>> judge(const Problem& problem) const;

  const std::filesystem::path& program() const { return program_.program(); }

 private:
  explicit CustomReference(UserProgram program) : program_(std::move(program)) {}

  UserProgram program_;
};

}  // namespace assay::reference
