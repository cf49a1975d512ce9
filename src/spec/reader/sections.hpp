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
void read_arguments(const TableReader& file, bool check_files, KernelSpec& spec);
// [launch] with the kernel's entry, [[stage]], or launch = "launch.cpp".
void read_launch(const TableReader& file, bool check_files, KernelSpec& spec);
void read_tunables(const TableReader& file, KernelSpec& spec);
void read_shapes(const TableReader& file, KernelSpec& spec);
void read_lets(const TableReader& file, KernelSpec& spec);
void read_tolerance(const TableReader& file, KernelSpec& spec);
void read_baselines(const TableReader& file, KernelSpec& spec);
// Notes the mistakes of [goal], which names sets of shapes; spec/goal.hpp reads it.
void check_goal(const TableReader& file, const KernelSpec& spec);
void read_expectation(const TableReader& file, KernelSpec& spec);
void read_limits(const TableReader& file, KernelSpec& spec);

// The value of "texture" or "surface" in an [[argument]].
TextureSpec read_texture(const Node& value, const std::string& title, bool surface, Mistakes& mistakes);
// atol and rtol of a table; nothing if one is missing or wrong.
std::optional<Tolerance> read_tolerance_pair(const TableReader& table);
// A path that may stand in a specification: of plain characters, not absolute.
bool check_path(const Node& value, const std::string& what, Mistakes& mistakes);
// That the file, or folder, is there; otherwise names that are near.
void check_exists(const KernelSpec& spec, const Node& value, const std::string& what, bool folder, Mistakes& mistakes);
// A file of the specification with one of these endings: its name is checked, and that it exists.
bool check_file(const KernelSpec& spec, const Node& value, const std::string& what,
                const std::vector<std::string>& endings, bool check_files, Mistakes& mistakes);
// A source that nvcc, ptxas or a GPU takes.
bool check_source(const KernelSpec& spec, const Node& value, const std::string& what, bool check_files,
                  Mistakes& mistakes);
// The name of a kernel: plain, demangled, or a pattern.
std::optional<TemplateText> read_entry(const Node& entry, const std::string& title, Mistakes& mistakes);

// A compiler flag that a specification may ask for.
Result<void> check_compiler_flag(const std::string& flag, const Place& place);

// Every name is defined, once, and may be used where it is; definitions in [let] are put in order, cycles reported.
// `all_defined`: the sections that define names are there, so that a name that none of them defines is a mistake.
void check_names(KernelSpec& spec, bool all_defined, Mistakes& mistakes);
// Sources and flags with {TUNABLE} in them: every choice is one that may stand there. [kernel] then has those of the
// default configuration. Only for a specification without mistakes.
void check_choices(KernelSpec& spec, bool check_files, Mistakes& mistakes);
// Every legal configuration on the first shape, and the default one on every shape, have numbers that make sense.
// Only for a specification without mistakes.
void check_numbers(const KernelSpec& spec, size_t max_checked, bool check_files, Mistakes& mistakes);

}  // namespace assay::spec
