// SPDX-License-Identifier: MIT
// The estimates of what a stop saved, from what had been measured when it stopped.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/bench.hpp"
#include "assay/saving.hpp"

namespace assay::work {

// Of shapes that were not measured: each as long as one of those that were.
Saving saved_shapes(const KernelBench& bench);
// Of a search: each evaluation as long as one process of the default configuration at every shape. Compiling is not
// counted.
Saving saved_evaluations(const KernelBench& bench, size_t evaluations);

nlohmann::json saving_document(const Saving& saving);

}  // namespace assay::work
