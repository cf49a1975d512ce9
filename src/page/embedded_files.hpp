// SPDX-License-Identifier: MIT
// The page's script and style, built from web/ and embedded in this program.
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace assay::page {

std::span<const EmbeddedFile> page_files();  // page.js, page.css, page.sha256

}  // namespace assay::page
