// SPDX-License-Identifier: MIT
// Source lines from `.loc` directives, with the chain of calls that inlining removed.
#pragma once

#include <string>

#include "ptx/debug_strings.hpp"
#include "ptx/syntax.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

class LocationTable {
 public:
  LocationTable(Program& program, const ptx::Module& module) : program_(program), debug_strings_(module) {}

  void enter_function(const std::string& name);
  void add(const ptx::Location& location);  // a run of them, outermost first, describes one place
  void instruction_seen() { run_open_ = false; }
  int32_t current() const { return current_; }

 private:
  int32_t caller_of(const ptx::Location::Inlined& inlined);

  Program& program_;
  ptx::DebugStrings debug_strings_;
  std::string function_;
  int32_t current_ = -1;
  int32_t run_start_ = -1;
  bool run_open_ = false;
};

}  // namespace assay::vgpu
