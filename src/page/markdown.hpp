// SPDX-License-Identifier: MIT
// The same elements as Markdown for pull requests and job summaries: tables and folds; charts are left to the page.
#pragma once

#include <string>
#include <vector>

#include "page/element.hpp"

namespace assay::page {

// A summary of a job holds 1 MiB, a comment 65,536 characters: what is beyond `limit` bytes is left out, by sections
// and said so at the end.
std::string markdown(const std::string& title, const Text& verdict, const std::vector<Section>& sections, size_t limit);

}  // namespace assay::page
