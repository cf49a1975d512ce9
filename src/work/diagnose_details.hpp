// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/diagnose.hpp"
#include "assay/profile.hpp"
#include "diagnosis/diagnosis.hpp"
#include "work/estimating.hpp"

namespace assay::work {

struct DiagnoseDetails {
  spec::KernelSpec spec;
  EstimatedCase estimated;
  diagnosis::Diagnosis diagnosis;
  std::optional<ProfileReport> profile;  // with Nsight Compute
  std::string not_measured;              // why, if there is no measured time
  nlohmann::json document;
};

}  // namespace assay::work
