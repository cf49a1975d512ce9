// SPDX-License-Identifier: MIT
// Files that are embedded in this program: the kernels that measure rates (rate_probes.ptx).
#pragma once

#include "measure/embedded_files.hpp"

namespace assay::measure {

std::span<const EmbeddedFile> rate_files();

}  // namespace assay::measure
