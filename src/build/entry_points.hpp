// SPDX-License-Identifier: MIT
// The kernels of a PTX text, and whether a specification launches them with what they take.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "ptx/syntax.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"

namespace assay::build {

struct EntryPoint {
  std::string name;
  std::vector<size_t> parameter_bytes;
  bool sizes_known = true;  // false for a cubin, whose parameters are not read
};

// A __device__ or __constant__ variable.
struct ModuleVariable {
  std::string name;
  bool constant = false;
  size_t bytes = 0;
};

// What a parameter or variable of PTX takes.
size_t declared_bytes(const ptx::Variable& variable);

// In the order of the text. The whole text is parsed.
std::vector<ModuleVariable> module_variables(std::string_view ptx);

// In the order of the text. Only their heads are read, so that it takes no time worth mentioning.
std::vector<EntryPoint> entry_points(std::string_view ptx);

// The names of the specification's kernels in the PTX, one for each stage.
Result<std::vector<std::string>> stage_entries(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                               const spec::Shape& shape, const std::vector<EntryPoint>& entries);

// The specification's variables are there and large enough for what is to be put into them.
Result<void> check_variables(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                             std::span<const spec::Shape> shapes, const std::vector<ModuleVariable>& variables);

// The specification's entries are there, for each of the shapes, and take as many parameters as there are arguments, of
// their sizes. The error says what is there; nothing has run by then.
Result<void> check_entry_points(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                std::span<const spec::Shape> shapes, const std::vector<EntryPoint>& entries);

}  // namespace assay::build
