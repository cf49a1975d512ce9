// SPDX-License-Identifier: MIT
// What was tried on a kernel: as a table, as a tree, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "work/story.hpp"

namespace assay::cli {

std::string story_text(const work::Story& story);
std::string tree_text(const work::Story& story);
nlohmann::json stories_document(const std::vector<work::Story>& stories);

}  // namespace assay::cli
