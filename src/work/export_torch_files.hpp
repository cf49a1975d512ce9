// SPDX-License-Identifier: MIT
// The Python of an exported package (the folder export_torch beside this file), embedded.
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::work {

std::span<const EmbeddedFile> export_torch_files();

}  // namespace assay::work
