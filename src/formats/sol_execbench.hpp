// SPDX-License-Identifier: MIT
// SOL-ExecBench: a folder with definition.json, workload.jsonl and solution.json, and traces; FlashInfer's objects with
// further members, and a score.
#pragma once

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

Result<Imported> read_sol_execbench(const TextFiles& files);

// 0.5 at the baseline, 1 at the floor. Nothing where that has no sense.
std::optional<double> sol_score(double time_us, double floor_us, double baseline_us);

}  // namespace assay::formats
