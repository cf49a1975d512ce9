// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/compare.hpp"
#include "judge/comparison.hpp"
#include "report/bench_report.hpp"

namespace assay::work {

struct ComparedCaseDetails {
  std::optional<judge::Comparison> comparison;
  std::optional<report::BenchCase> measured;  // nothing for two attempts of the ledger
};

struct CompareDetails {
  nlohmann::json document;
};

}  // namespace assay::work
