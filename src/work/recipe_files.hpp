// SPDX-License-Identifier: MIT
// The recipes of docs/cookbook, compiled into the program.
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::work {

std::span<const EmbeddedFile> recipe_files();

}  // namespace assay::work
