// SPDX-License-Identifier: MIT
// One function for each section of kernel.toml. They read and check a section by itself and note its mistakes; what
// sections say about each other is checked by check_names() and check_numbers() once all are there. A value that is
// wrong leaves its name behind, so that it is not called undefined as well.
#pragma once

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

void read_kernel(const TableReader& file, bool check_files, KernelSpec& spec);
void read_problem(const TableReader& file, bool check_files, KernelSpec& spec);
void read_arguments(const TableReader& file, KernelSpec& spec);
void read_launch(const TableReader& file, KernelSpec& spec);
void read_tunables(const TableReader& file, KernelSpec& spec);
void read_shapes(const TableReader& file, KernelSpec& spec);
void read_lets(const TableReader& file, KernelSpec& spec);
void read_tolerance(const TableReader& file, KernelSpec& spec);
void read_baselines(const TableReader& file, KernelSpec& spec);
// Notes the mistakes of [goal], which names sets of shapes; spec/goal.hpp reads it.
void check_goal(const TableReader& file, const KernelSpec& spec);
void read_expectation(const TableReader& file, KernelSpec& spec);
void read_limits(const TableReader& file, KernelSpec& spec);

// A compiler flag that a specification may ask for.
Result<void> check_compiler_flag(const std::string& flag, const Place& place);

// Every name is defined, once, and may be used where it is; definitions in [let] are put in order, cycles reported.
// `all_defined`: the sections that define names are there, so that a name that none of them defines is a mistake.
void check_names(KernelSpec& spec, bool all_defined, Mistakes& mistakes);
// Every legal configuration on the first shape, and the default one on every shape, have numbers that make sense.
// Only for a specification without mistakes.
void check_numbers(const KernelSpec& spec, size_t max_checked, Mistakes& mistakes);

}  // namespace assay::spec
