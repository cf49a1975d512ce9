// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "assay/run.hpp"

namespace assay::work {

struct RunDetails {
  nlohmann::json document;
};

}  // namespace assay::work
