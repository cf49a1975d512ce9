// SPDX-License-Identifier: MIT
// The tree of an evolution: which proposal came from which kernel.
#pragma once

#include <string>
#include <vector>

namespace assay::evolve {

struct LineageNode {
  std::string id;
  std::string parent;  // "" for a root
  std::string line;    // what is said of it
};

// Children below their parents, in the order given, with branches drawn; a node whose parent is not there is a root.
// Always ends, also where the parents form a circle.
std::string lineage_text(const std::vector<LineageNode>& nodes);

}  // namespace assay::evolve
