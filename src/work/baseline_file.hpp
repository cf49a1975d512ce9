// SPDX-License-Identifier: MIT
// A baseline as a file that a repository commits: docs/baselines.md has the schema.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "judge/batch.hpp"
#include "judge/counters.hpp"
#include "judge/estimated_change.hpp"
#include "measure/contract.hpp"

namespace assay::work {

struct BaselineCase {
  judge::Counters counters;                       // of a virtual GPU, with
  std::optional<judge::EstimatedTime> estimated;  // the time from them, if there is one; or
  measure::Contract contract;                     // of a measurement, and
  judge::Batches batches;                         // its samples
  std::string rates{};                            // of the estimate: when they were measured; "": the model's

  bool operator==(const BaselineCase&) const = default;
};

struct BaselineFile {
  std::string kernel;
  std::string configuration;
  std::string device;                         // "vgpu:l4"; of a measurement the GPU's name
  std::map<std::string, BaselineCase> cases;  // by shape

  bool operator==(const BaselineFile&) const = default;
};

// An estimated time in a baseline, here and in the ledger; nothing if it is not one.
nlohmann::json estimated_json(const judge::EstimatedTime& time);
std::optional<judge::EstimatedTime> estimated_from(const nlohmann::json& value);

bool is_baseline_file(const std::string& name);  // by its name: *.json

Result<BaselineFile> read_baseline_file(const std::string& path);
Result<void> write_baseline_file(const std::string& path, const BaselineFile& baseline);

}  // namespace assay::work
