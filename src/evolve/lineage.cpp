// SPDX-License-Identifier: MIT
#include "evolve/lineage.hpp"

#include <functional>
#include <map>

namespace assay::evolve {

std::string lineage_text(const std::vector<LineageNode>& nodes) {
  std::map<std::string, size_t> first;  // the node that a parent's id means
  for (size_t i = 0; i < nodes.size(); ++i) first.emplace(nodes[i].id, i);
  std::map<size_t, std::vector<size_t>> children;
  std::vector<size_t> roots;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto parent = first.find(nodes[i].parent);
    // A parent is older than its children: what comes later cannot be one.
    if (nodes[i].parent.empty() || parent == first.end() || parent->second >= i) {
      roots.push_back(i);
    } else {
      children[parent->second].push_back(i);
    }
  }
  std::string text;
  const std::function<void(size_t, const std::string&, const std::string&)> write =
      [&](size_t node, const std::string& head, const std::string& indent) {
        text += head + nodes[node].line + "\n";
        const std::vector<size_t>& own = children[node];
        for (size_t i = 0; i < own.size(); ++i) {
          const bool last = i + 1 == own.size();
          write(own[i], indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  "));
        }
      };
  for (const size_t root : roots) write(root, "", "");
  return text;
}

}  // namespace assay::evolve
