// SPDX-License-Identifier: MIT
// Blocks as HTML that reads without script. Everything that others chose passes escape_html().
#pragma once

#include <string>
#include <vector>

#include "page/element.hpp"

namespace assay::page {

std::string html(const Text& text);
// With their headings. A link whose target is not there is plain text.
std::string html(const std::vector<Section>& sections);

}  // namespace assay::page
