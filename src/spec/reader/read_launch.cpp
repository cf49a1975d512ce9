// SPDX-License-Identifier: MIT
// [launch] and [let].
#include <fmt/format.h>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

static Result<std::vector<Expression>> read_extent(const TableReader& launch, std::string_view key, bool required) {
  ASSAY_TRY(std::vector<Expression> extent, launch.expressions(key));
  const Node* const node = launch.node().find(key);
  if (node == nullptr && !required) return extent;
  if (node == nullptr) {
    return mistake(launch.node().place,
                   fmt::format("[launch] has no \"{}\"; expected {} = [\"X\", \"Y\", \"Z\"]", key, key));
  }
  if (extent.empty() || extent.size() > 3) {
    return mistake(node->place,
                   fmt::format("\"{}\" in [launch] has {} dimensions; expected 1 to 3", key, extent.size()));
  }
  return extent;
}

Result<void> read_launch(const Node& root, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, require_section(root, "launch", Node::Kind::table));
  const TableReader launch(*section, "[launch]");
  ASSAY_CHECK(launch.check_keys({"grid", "block", "shared_bytes", "cluster"}));
  spec.launch.place = section->place;
  ASSAY_TRY(spec.launch.grid, read_extent(launch, "grid", true));
  ASSAY_TRY(spec.launch.block, read_extent(launch, "block", true));
  ASSAY_TRY(spec.launch.shared_bytes, launch.expression("shared_bytes"));
  ASSAY_TRY(spec.launch.cluster, read_extent(launch, "cluster", false));
  return {};
}

Result<void> read_lets(const Node& root, KernelSpec& spec) {
  constexpr size_t kMaxLets = 200;
  ASSAY_TRY(const Node* const section, TableReader(root, "the file").find("let", Node::Kind::table));
  if (section == nullptr) return {};
  if (section->items.size() > kMaxLets) {
    return mistake(section->place,
                   fmt::format("[let] defines {} names; expected at most {}", section->items.size(), kMaxLets));
  }
  for (const Node& item : section->items) {
    ASSAY_CHECK(expect_name(item.key, item.key_place, "a value"));
    ASSAY_TRY(Expression value, read_expression(item, fmt::format("\"{}\" in [let]", item.key)));
    spec.lets.push_back({item.key, item.key_place, std::move(value)});
  }
  return {};
}

}  // namespace assay::spec
