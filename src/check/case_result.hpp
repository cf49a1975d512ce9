// SPDX-License-Identifier: MIT
// What one case showed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/cases.hpp"
#include "check/compare.hpp"
#include "gpu/counters.hpp"
#include "gpu/finding.hpp"

namespace assay::check {

enum class Outcome {
  passed,
  finding,  // the memory checks found something
  fault,    // the kernel was stopped: trap, assertion, deadlock, instruction limit, bad access
  wrong_value,
  nan,  // NaN or infinity where the reference has none
  unwritten,
  input_changed,
  red_zone,  // bytes around a buffer were written
  timed_out,
  crashed,  // the process that ran it
  reference_failed,
  cannot_fail,   // the self-test: the comparison takes a wrong result for right
  does_not_fit,  // more threads or shared memory than the device has
  not_launched,  // the launch was refused: the specification asks for what the kernel does not have
  cannot_run,    // the device lacks an instruction, a feature or the memory: no verdict on the kernel
};

std::string_view name(Outcome outcome);
std::optional<Outcome> outcome_from_name(std::string_view text);

struct CaseResult {
  Case test;
  Outcome outcome = Outcome::passed;
  std::string message;  // one line: what is wrong
  std::string hint;
  std::string tensor;  // the output or input concerned
  std::vector<gpu::Finding> findings;
  uint64_t finding_occurrences = 0;
  std::optional<Mismatch> mismatch;  // the first wrong element
  int64_t failures = 0;              // wrong elements
  int64_t elements = 0;              // of the outputs
  int64_t compared = 0;              // of them, those for which the reference has a result
  double max_absolute_error = 0;
  double max_relative_error = 0;
  double max_ulp_error = 0;
  double tolerance_used = 0;         // the largest share of what is allowed that an error takes
  uint64_t instructions = 0;         // counted, of warps
  uint64_t thread_instructions = 0;  // counted
  double seconds = 0;                // of this machine, not of a GPU
  std::string printed;
  std::optional<gpu::LaunchCounters> counters;  // if they were asked for and the device counts

  bool passed() const { return outcome == Outcome::passed; }
};

}  // namespace assay::check
