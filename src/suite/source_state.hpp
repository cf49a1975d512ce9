// SPDX-License-Identifier: MIT
// A hash of the files that a kernel is made of: a changed file makes its measurements stale.
#pragma once

#include <filesystem>
#include <string>

#include "spec/kernel_spec.hpp"

namespace assay::suite {

// Specification, source, reference, and every source, header, script and PTX in its folder and its include folders.
// Unreadable files count as empty: whoever builds or runs them says so.
std::string source_state(const spec::KernelSpec& spec);

// Of one file: its content.
std::string file_state(const std::filesystem::path& file);

}  // namespace assay::suite
