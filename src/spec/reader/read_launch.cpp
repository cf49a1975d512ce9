// SPDX-License-Identifier: MIT
// [launch] and [let].
#include <fmt/format.h>

#include "spec/reader/sections.hpp"

namespace assay::spec {

static std::vector<Expression> read_extent(const TableReader& launch, std::string_view key, bool required) {
  const Node* const node =
      required ? launch.require(key, Node::Kind::array, "[\"X\", \"Y\", \"Z\"]") : launch.find(key, Node::Kind::array);
  if (node == nullptr) return {};
  if (node->items.empty() || node->items.size() > 3) {
    launch.mistakes().add(
        node->place, fmt::format("\"{}\" in [launch] has {} dimensions; expected 1 to 3", key, node->items.size()));
  }
  return launch.expressions(key);
}

void read_launch(const TableReader& file, KernelSpec& spec) {
  const Node* const section = file.require_section("launch", Node::Kind::table);
  if (section == nullptr) return;
  TableReader launch(*section, "[launch]", file.mistakes());
  launch.check_keys({"grid", "block", "shared_bytes", "cluster"});
  spec.launch.place = section->place;
  spec.launch.grid = read_extent(launch, "grid", true);
  spec.launch.block = read_extent(launch, "block", true);
  spec.launch.shared_bytes = launch.expression("shared_bytes");
  spec.launch.cluster = read_extent(launch, "cluster", false);
}

void read_lets(const TableReader& file, KernelSpec& spec) {
  constexpr size_t kMaxLets = 200;
  const Node* const section = file.find("let", Node::Kind::table);
  if (section == nullptr) return;
  if (section->items.size() > kMaxLets) {
    file.mistakes().add(section->place,
                        fmt::format("[let] defines {} names; expected at most {}", section->items.size(), kMaxLets));
    return;
  }
  for (const Node& item : section->items) {
    expect_name(item.key, item.key_place, "a value", file.mistakes());
    spec.lets.push_back(
        {item.key, item.key_place, read_expression(item, fmt::format("\"{}\" in [let]", item.key), file.mistakes())});
  }
}

}  // namespace assay::spec
