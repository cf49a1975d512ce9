// SPDX-License-Identifier: MIT
// hypotheses.json, embedded in this program.
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::learn {

std::span<const EmbeddedFile> hypothesis_files();

}  // namespace assay::learn
