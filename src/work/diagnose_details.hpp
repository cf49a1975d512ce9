// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/diagnose.hpp"
#include "diagnosis/diagnosis.hpp"
#include "profiling/ncu_difference.hpp"
#include "profiling/profile.hpp"
#include "work/baseline_profile.hpp"
#include "work/estimating.hpp"

namespace assay::work {

struct DiagnoseDetails {
  spec::KernelSpec spec;
  EstimatedCase estimated;
  diagnosis::Diagnosis diagnosis;
  std::optional<profiling::Profile> profile;  // with Nsight Compute, without counts
  std::optional<BaselineProfile> baseline;    // likewise
  std::vector<profiling::NcuDifference> differences;
  std::string no_baseline;            // why, if it was not profiled
  std::string not_measured;           // why, if there is no measured time
  std::string baseline_not_measured;  // why, if it was to be
  nlohmann::json document;
};

}  // namespace assay::work
