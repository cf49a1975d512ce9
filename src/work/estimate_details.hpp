// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/estimate.hpp"
#include "work/estimating.hpp"

namespace assay::work {

struct EstimateDetails {
  spec::KernelSpec spec;
  EstimatedCase estimated;
  nlohmann::json document;
};

}  // namespace assay::work
