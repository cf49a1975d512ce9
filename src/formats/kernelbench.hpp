// SPDX-License-Identifier: MIT
// KernelBench: tasks are modules of Python with a Model and get_inputs(); results are eval_results.json and the stored
// times of the baselines.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "formats/foreign.hpp"
#include "formats/text_file.hpp"

namespace assay::formats {

Result<Imported> read_kernelbench(const TextFiles& files);
bool is_kernelbench_task(std::string_view text);

// The share of all tasks that are correct and more than p times as fast as the baseline; nothing of no task. One entry
// for each task: the speed-up, or nothing where the answer is wrong.
std::optional<double> fast_p(std::span<const std::optional<double>> speedups, double p);
// Over the correct ones alone.
std::optional<double> geometric_mean(std::span<const std::optional<double>> speedups);

// The tolerance of theirs for a precision of ours.
double kernelbench_tolerance(std::string_view dtype);

}  // namespace assay::formats
