// SPDX-License-Identifier: MIT
// The stop rule of run and tune, and the estimates of what a stop saved, from what had been measured when it stopped.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "assay/bench.hpp"
#include "assay/diagnose.hpp"
#include "assay/saving.hpp"

namespace assay::work {

inline constexpr double kStopBelow = 0.5;  // of the baseline's speed

// Of shapes that were not measured: each as long as one of those that were.
Saving saved_shapes(const KernelBench& bench);
// Of a search: each evaluation as long as one process of the default configuration at every shape. Compiling is not
// counted.
Saving saved_evaluations(const KernelBench& bench, size_t evaluations);

// What is recorded of a stop. `diagnosis`: null if there is none.
nlohmann::json stop_document(const std::string& baseline, const std::string& shape, double speed,
                             const DiagnoseReport* diagnosis, const Saving& saved);

}  // namespace assay::work
