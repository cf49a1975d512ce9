// SPDX-License-Identifier: MIT
// Files that are embedded in this program: the providers in Python (providers/) and the instruments (instruments.ptx).
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::measure {

std::span<const EmbeddedFile> provider_files();

}  // namespace assay::measure
