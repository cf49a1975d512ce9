// SPDX-License-Identifier: MIT
// The texts that go into the programs of user_program.hpp.
#pragma once

#include <span>
#include <string_view>

#include "base/embedded_file.hpp"

namespace assay::reference {

// "reference.h" and "launch.h" of include/assay; "main.cc", "launch.cc" and "main.py" of reference/program.
std::string_view program_text(std::string_view name);

std::span<const EmbeddedFile> program_files();  // all of them, by name; made by cmake/EmbeddedFiles.cmake

}  // namespace assay::reference
