// SPDX-License-Identifier: MIT
// The Python of an exported package (src/work/export_torch), embedded.
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::work {

std::span<const EmbeddedFile> export_torch_files();

}  // namespace assay::work
