// SPDX-License-Identifier: MIT
#include "suite/read_shapes.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "spec/reader/table_reader.hpp"

namespace assay::suite {
namespace {

using spec::Mistakes;
using spec::Node;

constexpr size_t kMaxDimensions = 32;

void read_value(const Node& value, Dimension& dimension, Mistakes& mistakes) {
  const auto read = spec::read_dimension(value, dimension.name, mistakes);
  if (!read) return;
  dimension.values.push_back(*read);
  dimension.value_places.push_back(value.place);
}

Dimension read_dimension(const Node& entry, bool is_axis, Mistakes& mistakes) {
  Dimension dimension{entry.key, entry.key_place, {}, {}};
  if (!is_axis || entry.kind != Node::Kind::array) {
    read_value(entry, dimension, mistakes);
  } else if (entry.items.empty()) {
    mistakes.add(entry.place, fmt::format("\"{}\" of the grid has no values; expected at least one", entry.key));
  } else if (entry.items.size() > kMaxItems) {
    mistakes.add(entry.place, fmt::format("\"{}\" of the grid has {} values; expected at most {}", entry.key,
                                          entry.items.size(), kMaxItems));
  } else {
    for (const Node& item : entry.items) read_value(item, dimension, mistakes);
  }
  return dimension;
}

ShapeTable read_table(const Node& node, bool is_grid, Mistakes& mistakes) {
  ShapeTable table{node.place, {}};
  if (node.items.empty())
    mistakes.add(node.place,
                 is_grid ? "the grid is empty; expected { N = [64, 65] }" : "the shape is empty; expected { N = 64 }");
  if (node.items.size() > kMaxDimensions) {
    mistakes.add(node.place,
                 fmt::format("a shape has {} dimensions; expected at most {}", node.items.size(), kMaxDimensions));
    return table;
  }
  for (const Node& entry : node.items) table.dimensions.push_back(read_dimension(entry, is_grid, mistakes));
  return table;
}

}  // namespace

ShapeChoice read_shapes(const Node& node, const std::string& title, Mistakes& mistakes) {
  ShapeChoice choice;
  if (node.kind == Node::Kind::string) {
    choice.set = Word{node.text, node.place};
  } else if (node.kind == Node::Kind::table) {
    choice.grid = read_table(node, true, mistakes);
    size_t product = 1;
    for (const Dimension& axis : choice.grid->dimensions) {
      product = std::min(product * std::max<size_t>(1, axis.values.size()), kMaxItems + 1);
    }
    if (product > kMaxItems)
      mistakes.add(node.place, fmt::format("the grid has more than {} shapes", kMaxItems), "give fewer values");
  } else if (node.kind != Node::Kind::array) {
    mistakes.add(node.place, fmt::format("\"shapes\" in {} is {}; expected the name of a set, a list [{{ N = 64 }}] "
                                         "or a grid {{ N = [64, 65] }}",
                                         title, kind_name(node.kind)));
  } else {
    if (node.items.empty())
      mistakes.add(node.place, fmt::format("\"shapes\" in {} is empty; expected at least one shape", title));
    for (const Node& item : node.items) {
      if (spec::expect_kind(item, Node::Kind::table, fmt::format("a shape in {}", title), mistakes))
        choice.list.push_back(read_table(item, false, mistakes));
    }
  }
  return choice;
}

}  // namespace assay::suite
