// SPDX-License-Identifier: MIT
// Lines of source, for eyes. Their names come from PTX, which anybody may have written: only source files below the
// root are read, so that a kernel cannot show what lies elsewhere on the machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/finding.hpp"

namespace assay::report {

// The repository of the kernel, or its folder if there is none.
std::filesystem::path source_root(const std::filesystem::path& kernel_folder);

// The whole file; nothing: it is not to be had.
std::optional<std::string> source_file(const std::string& name, const std::filesystem::path& root);

// Without the blanks around it; "": it is not to be had.
std::string source_text(const gpu::SourceLine& line, const std::filesystem::path& root);

}  // namespace assay::report
