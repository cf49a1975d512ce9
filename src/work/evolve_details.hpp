// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/evolve.hpp"

namespace assay::work {

struct EvolveDetails {
  nlohmann::json document;
};

}  // namespace assay::work
