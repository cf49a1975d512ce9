// SPDX-License-Identifier: MIT
// GPU MODE: a task is task.yml with the files that it names; results are `key: value` lines of an evaluation.
#pragma once

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

struct GpuModeTask {
  std::string lang;  // "py" or "cu"
  std::string description{};
  std::vector<std::pair<std::string, std::string>> files{};  // name -> source; "@SUBMISSION@" is the answer
  std::vector<nlohmann::ordered_json> tests{};               // objects of integers and words
  std::vector<nlohmann::ordered_json> benchmarks{};
  std::string ranking_by{};
};
Result<GpuModeTask> parse_gpu_mode_task(std::string_view text, const std::string& name, std::vector<Lost>& lost);

// "rows: 4; columns: 127" as an evaluation writes a case.
std::string to_case_text(const nlohmann::ordered_json& values);

Result<Imported> read_gpu_mode(const TextFiles& files);

}  // namespace assay::formats
