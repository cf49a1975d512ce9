// SPDX-License-Identifier: MIT
// What CaseRunner keeps of one run of a kernel: its tensors on the device and what the launch gave. For the files of
// CaseRunner alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/case_runner.hpp"

namespace assay::check {

// A tensor argument: the bytes that were uploaded and those that came back, guards included where there are guards.
struct CaseRunner::Buffer {
  std::string name;
  std::string global;  // the variable of the module that it is; empty: memory of its own
  spec::ResolvedTensor tensor;
  uint64_t address = 0;
  bool guarded = false;       // guards stand around it
  int64_t payload = 0;        // offset of the tensor in the bytes
  reference::Numbers values;  // of inputs
  std::vector<uint8_t> before;
  std::vector<uint8_t> after;
  uint64_t guard_seed = 0;

  bool is_output() const { return spec::is_result(tensor.role); }
  std::span<const uint8_t> tensor_after() const {
    return std::span(after).subspan(static_cast<size_t>(payload), static_cast<size_t>(tensor.bytes));
  }
};

struct CaseRunner::Run {
  std::vector<Buffer> buffers;
  std::vector<uint64_t> pointer_arrays;  // their addresses
  device::LaunchOutcome outcome;
  double seconds = 0;  // of the launches alone, on this machine
};

inline void fail(CaseResult& result, Outcome outcome, std::string message, std::string hint = "") {
  result.outcome = outcome;
  result.message = std::move(message);
  result.hint = std::move(hint);
}

}  // namespace assay::check
