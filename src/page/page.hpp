// SPDX-License-Identifier: MIT
// A report as one HTML file that needs nothing else, and as Markdown of the same content. The same content gives the
// same bytes.
#pragma once

#include <string>

#include "page/content.hpp"

namespace assay::page {

std::string html_page(const Content& content);
std::string markdown_page(const Content& content);
std::string verdict_line(const Content& content);  // the verdict as plain text

}  // namespace assay::page
