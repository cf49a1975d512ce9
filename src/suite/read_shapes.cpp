// SPDX-License-Identifier: MIT
#include "suite/read_shapes.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "spec/mistake.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::suite {
namespace {

using spec::mistake;
using spec::Node;

constexpr size_t kMaxDimensions = 32;

Result<Dimension> read_dimension(const Node& entry, bool is_axis) {
  Dimension dimension{entry.key, entry.key_place, {}, {}};
  if (!is_axis || entry.kind != Node::Kind::array) {
    ASSAY_TRY(const spec::Value value, spec::read_dimension(entry, entry.key));
    dimension.values.push_back(value);
    dimension.value_places.push_back(entry.place);
    return dimension;
  }
  if (entry.items.empty())
    return mistake(entry.place, fmt::format("\"{}\" of the grid has no values; expected at least one", entry.key));
  if (entry.items.size() > kMaxItems)
    return mistake(entry.place, fmt::format("\"{}\" of the grid has {} values; expected at most {}", entry.key,
                                            entry.items.size(), kMaxItems));
  for (const Node& item : entry.items) {
    ASSAY_TRY(const spec::Value value, spec::read_dimension(item, entry.key));
    dimension.values.push_back(value);
    dimension.value_places.push_back(item.place);
  }
  return dimension;
}

Result<ShapeTable> read_table(const Node& node, bool is_grid) {
  ShapeTable table{node.place, {}};
  if (node.items.empty())
    return mistake(node.place, is_grid ? "the grid is empty; expected { N = [64, 65] }"
                                       : "the shape is empty; expected { N = 64 }");
  if (node.items.size() > kMaxDimensions)
    return mistake(node.place,
                   fmt::format("a shape has {} dimensions; expected at most {}", node.items.size(), kMaxDimensions));
  for (const Node& entry : node.items) {
    ASSAY_TRY(Dimension dimension, read_dimension(entry, is_grid));
    table.dimensions.push_back(std::move(dimension));
  }
  return table;
}

}  // namespace

Result<ShapeChoice> read_shapes(const Node& node, const std::string& title) {
  ShapeChoice choice;
  if (node.kind == Node::Kind::string) {
    choice.set = Word{node.text, node.place};
    return choice;
  }
  if (node.kind == Node::Kind::table) {
    ASSAY_TRY(choice.grid, read_table(node, true));
    size_t product = 1;
    for (const Dimension& axis : choice.grid->dimensions) {
      product = std::min(product * axis.values.size(), kMaxItems + 1);
    }
    if (product > kMaxItems)
      return mistake(node.place, fmt::format("the grid has more than {} shapes", kMaxItems), "give fewer values");
    return choice;
  }
  if (node.kind != Node::Kind::array)
    return mistake(node.place, fmt::format("\"shapes\" in {} is {}; expected the name of a set, a list [{{ N = 64 }}] "
                                           "or a grid {{ N = [64, 65] }}",
                                           title, kind_name(node.kind)));
  if (node.items.empty())
    return mistake(node.place, fmt::format("\"shapes\" in {} is empty; expected at least one shape", title));
  for (const Node& item : node.items) {
    ASSAY_CHECK(spec::expect_kind(item, Node::Kind::table, fmt::format("a shape in {}", title)));
    ASSAY_TRY(ShapeTable table, read_table(item, false));
    choice.list.push_back(std::move(table));
  }
  return choice;
}

}  // namespace assay::suite
