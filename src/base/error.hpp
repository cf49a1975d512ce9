// SPDX-License-Identifier: MIT
// An error that a user can act on: what, where, and what to do.
#pragma once

#include <string>
#include <utility>

#include "base/exit_code.hpp"

namespace assay {

// A position in a file. Line and column start at 1; 0 means "not known".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;

  bool known() const { return !file.empty(); }
  bool operator==(const Place&) const = default;
};

std::string to_string(const Place& place);  // "file:line:column", without the parts that are not known

struct Error {
  std::string message;  // what was found and what was expected
  Place place{};        // where, if there is a file
  std::string hint{};   // what to do, if there is something to do
  ExitCode exit_code = ExitCode::usage;

  bool operator==(const Error&) const = default;
};

std::string to_string(const Error& error);  // "place: message" and, on a line of its own, the hint

}  // namespace assay
