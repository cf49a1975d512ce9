// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/diagnose.hpp"
#include "assay/invert.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct InvertDetails {
  spec::KernelSpec spec;
  DiagnoseReport diagnosis;
  bool sampled = false;
  uint64_t blocks_run = 0;
  uint64_t blocks = 0;
  std::string proved_at;      // the shape with shorter loops at which mutants were proved; "": the report's own
  double proof_s = 0;         // that proofs took
  double before_s = 0;        // that diagnosing, counting and making mutants took before them
  double wall_s = 0;          // that all of it took
  std::string gpu;            // that measured; "" if none did
  std::string no_ptxas;       // why the machine code is not known
  double original_ratio = 0;  // time of the original over that of the prepared kernel, if it was measured
  nlohmann::json document;
};

}  // namespace assay::work
