// SPDX-License-Identifier: MIT
// The kernels of a PTX text, and whether a specification launches them with what they take.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"

namespace assay::build {

struct EntryPoint {
  std::string name;
  std::vector<size_t> parameter_bytes;
};

// In the order of the text. Only their heads are read, so that it takes no time worth mentioning.
std::vector<EntryPoint> entry_points(std::string_view ptx);

// The specification's entry is there, for each of the shapes, and takes as many parameters as there are arguments, of
// their sizes. The error says what is there; nothing has run by then.
Result<void> check_entry_points(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                std::span<const spec::Shape> shapes, const std::vector<EntryPoint>& entries);

}  // namespace assay::build
