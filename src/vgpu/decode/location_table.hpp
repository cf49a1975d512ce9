// SPDX-License-Identifier: MIT
// Source lines from `.loc` directives, with the chain of calls that inlining removed.
#pragma once

#include <array>
#include <map>
#include <string>

#include "ptx/debug_strings.hpp"
#include "ptx/syntax.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

class LocationTable {
 public:
  LocationTable(Program& program, const ptx::Module& module) : program_(program), debug_strings_(module) {}

  void enter_function(const std::string& name);
  // A place within an inlined function names that of its call, which a directive before has given: its callers in turn
  // are those that this one named the last time. nvcc does not repeat them.
  void add(const ptx::Location& location);
  int32_t current() const { return current_; }

 private:
  using Place = std::array<int, 3>;  // file, line, column

  int32_t caller_of(const ptx::Location::Inlined& inlined);
  int32_t keep(LocationEntry entry);

  Program& program_;
  ptx::DebugStrings debug_strings_;
  std::string function_;
  int32_t current_ = -1;
  std::map<Place, int32_t> latest_;  // of this function
};

}  // namespace assay::vgpu
