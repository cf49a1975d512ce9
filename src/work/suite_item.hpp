// SPDX-License-Identifier: MIT
// One item of a suite, as a worker measures it for somebody else: nothing is judged or recorded there, all that was
// measured goes back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "assay/suite.hpp"
#include "base/result.hpp"
#include "measure/measurement.hpp"
#include "suite/plan.hpp"
#include "work/measuring.hpp"

namespace assay::work {

// Measures a group as bench would.
MeasureRequest request_of(const suite::Group& group, const std::string& device, uint64_t seed);

// The GPU and its driver in one line: figures of another line are no part of a run.
std::string gpu_line(const std::string& gpu, int ordinal);

struct MeasuredItem {
  measure::CaseMeasurement measured;
  std::string source_hash;
  std::string cubin_hash;
  std::string machine;  // its id in a ledger
};

nlohmann::json item_document(const MeasuredItem& item);
// Nothing if it is not what we wrote.
std::optional<MeasuredItem> item_from(const nlohmann::json& document);

}  // namespace assay::work
