// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "assay/suite.hpp"
#include "suite/plan.hpp"
#include "suite/row.hpp"
#include "suite/summary.hpp"

namespace assay::work {

struct SuiteDetails {
  suite::Plan plan;
  std::vector<suite::Row> rows;
  suite::Summary summary;
  nlohmann::json document;
};

struct SuitePlanDetails {
  suite::Plan plan;
};

}  // namespace assay::work
