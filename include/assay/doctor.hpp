// SPDX-License-Identifier: MIT
// What this machine has of what Assay can use, and what is missing.
#pragma once

#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct DoctorRequest {
  // What this machine is wanted for: "build", "bench" or "profile". Then the report is a gate: it fails where something
  // is missing, and says what has changed since it last passed here. Empty: it only tells.
  std::string purpose;
  bool torch = true;     // import it, which takes seconds, to learn its CUDA, its cuDNN and the order of its backends
  bool measure = true;   // what the GPU reaches, in a second or two; never while others compute on it
  RecordOptions record;  // where the last good state of this machine is kept
};

struct Fact {
  std::string name;    // "nvcc"
  std::string status;  // "ok", "warning", "missing"
  std::string value;   // "13.0.88 (/usr/local/cuda/bin/nvcc)"
  std::string hint;    // what to do, if there is something to do
};

// Something that is not as it was when the gate last passed on this machine.
struct Drift {
  std::string name;
  std::string before;
  std::string now;
};

struct DoctorReport {
  ExitCode exit_code = ExitCode::good;  // environment: something that the purpose needs is missing
  std::string purpose;
  std::vector<std::string> missing;  // names of facts that the purpose needs
  std::vector<Drift> drifts;
  std::vector<Fact> facts;
  bool has_gpu = false;
};

Result<DoctorReport> doctor(const DoctorRequest& request, const Context& context = {});
std::string to_json(const DoctorReport& report);

}  // namespace assay::work
