// SPDX-License-Identifier: MIT
// One function for each section of kernel.toml. They read and check a section by itself; what sections say about each
// other is checked by check_names() and check_numbers() once all are there.
#pragma once

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/reader/document.hpp"

namespace assay::spec {

Result<void> read_kernel(const Node& root, bool check_files, KernelSpec& spec);
Result<void> read_problem(const Node& root, bool check_files, KernelSpec& spec);
Result<void> read_arguments(const Node& root, KernelSpec& spec);
Result<void> read_launch(const Node& root, KernelSpec& spec);
Result<void> read_tunables(const Node& root, KernelSpec& spec);
Result<void> read_shapes(const Node& root, KernelSpec& spec);
Result<void> read_lets(const Node& root, KernelSpec& spec);
Result<void> read_tolerance(const Node& root, KernelSpec& spec);
Result<void> read_baselines(const Node& root, KernelSpec& spec);
Result<void> read_expectation(const Node& root, KernelSpec& spec);

// A compiler flag that a specification may ask for.
Result<void> check_compiler_flag(const std::string& flag, const Place& place);

// Every name is defined, once, and may be used where it is; definitions in [let] are put in order, cycles reported.
Result<void> check_names(KernelSpec& spec);
// Every legal configuration on the first shape, and the default one on every shape, have numbers that make sense.
Result<void> check_numbers(const KernelSpec& spec, size_t max_checked);

}  // namespace assay::spec
