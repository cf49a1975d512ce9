// SPDX-License-Identifier: MIT
// One thing that is wrong with a kernel, and where.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace assay::work {

struct Finding {
  std::string kind;  // "out_of_bounds", "misaligned", "uninitialised", ...
  std::string message;
  std::string kernel;
  std::string file;  // of the user's own code; empty if the PTX has no line information
  int line = 0;
  int column = 0;
  std::string instruction;  // of the PTX
  std::string space;        // "global", "shared", ...
  std::string access;       // "load", "store", ...
  uint64_t address = 0;
  uint32_t bytes = 0;
  std::array<uint32_t, 3> block{};  // of the first occurrence
  std::array<uint32_t, 3> thread{};
  uint64_t occurrences = 1;
  std::string shape;  // the first that showed it
};

}  // namespace assay::work
