// SPDX-License-Identifier: MIT
// assay calibrate --simulate: the table of docs/measurement.md, noise by length by verdict.
#pragma once

#include "cli/command.hpp"

namespace assay::cli {

// On all cores; finished cells are kept in the cache, and the same command goes on where it was.
Result<ExitCode> simulate_table(const Options& options);

}  // namespace assay::cli
