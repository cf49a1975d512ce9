// SPDX-License-Identifier: MIT
// [shapes]: named lists of shapes, and grids whose Cartesian product they stand for.
#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "spec/mistake.hpp"
#include "spec/reader/sections.hpp"
#include "spec/reader/table_reader.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxDimensions = 32;

class ShapesReader {
 public:
  ShapesReader(const Node& section, ShapesSection& shapes) : section_(section), shapes_(shapes) {}

  Result<void> read() {
    shapes_.place = section_.place;
    ASSAY_CHECK(read_defaults());
    for (const Node& item : section_.items) {
      if (item.key == "constraints" || item.key == "defaults") continue;
      ASSAY_CHECK(read_set(item));
    }
    if (shapes_.sets.empty()) {
      return mistake(section_.place, "[shapes] has no shapes; expected a list such as canonical = [{ N = 64 }]");
    }
    for (ShapeSet& set : shapes_.sets) ASSAY_CHECK(complete(set));
    ASSAY_TRY(shapes_.constraints, TableReader(section_, "[shapes]").expressions("constraints"));
    return {};
  }

 private:
  // The dimension exists from here on, with this kind of value everywhere.
  Result<void> note(const std::string& dimension, const Value& value, const Place& place, const Place& value_place) {
    const auto [found, is_new] = shapes_.kinds.emplace(dimension, value.kind());
    if (is_new) {
      ASSAY_CHECK(expect_name(dimension, place, "a dimension"));
      shapes_.dimensions.push_back(dimension);
      if (shapes_.dimensions.size() > kMaxDimensions) {
        return mistake(place, fmt::format("the shapes have more than {} dimensions", kMaxDimensions));
      }
    } else if (found->second != value.kind()) {
      return mistake(value_place, fmt::format("dimension \"{}\" is {} here and {} before; expected one kind", dimension,
                                              kind_name(value.kind()), kind_name(found->second)));
    }
    return {};
  }

  Result<void> read_defaults() {
    ASSAY_TRY(const Node* const defaults, TableReader(section_, "[shapes]").find("defaults", Node::Kind::table));
    if (defaults == nullptr) return {};
    for (const Node& item : defaults->items) {
      ASSAY_TRY(const Value value, read_dimension(item, item.key));
      ASSAY_CHECK(note(item.key, value, item.key_place, item.place));
      shapes_.defaults[item.key] = value;
    }
    return {};
  }

  Result<void> read_set(const Node& node) {
    ShapeSet set;
    set.name = node.key;
    set.place = node.key_place;
    if (!is_identifier(node.key)) {
      return mistake(node.key_place, fmt::format("\"{}\" cannot name a list of shapes; expected letters, digits and "
                                                 "underscores, no digit first",
                                                 node.key));
    }
    if (node.kind == Node::Kind::table) {
      ASSAY_CHECK(read_grid(node, set));
    } else if (node.kind == Node::Kind::array) {
      ASSAY_CHECK(read_list(node, set));
    } else {
      return mistake(node.place, fmt::format("\"{}\" in [shapes] is {}; expected a list [{{ N = 64 }}] or a grid "
                                             "{{ N = [64, 65] }}",
                                             node.key, kind_name(node.kind)));
    }
    shapes_.sets.push_back(std::move(set));
    return {};
  }

  Result<void> read_list(const Node& node, ShapeSet& set) {
    if (node.items.empty()) {
      return mistake(node.place, fmt::format("\"{}\" in [shapes] is empty; expected at least one shape", node.key));
    }
    for (const Node& item : node.items) {
      ASSAY_CHECK(expect_kind(item, Node::Kind::table, fmt::format("a shape of \"{}\"", node.key)));
      Bindings shape;
      for (const Node& entry : item.items) {
        ASSAY_TRY(const Value value, read_dimension(entry, entry.key));
        ASSAY_CHECK(note(entry.key, value, entry.key_place, entry.place));
        shape[entry.key] = value;
      }
      set.list.push_back(std::move(shape));
      list_places_.push_back(item.place);
      ASSAY_CHECK(count(1, node));
    }
    return {};
  }

  Result<void> read_grid(const Node& node, ShapeSet& set) {
    set.is_grid = true;
    if (node.items.empty()) {
      return mistake(node.place, fmt::format("the grid \"{}\" is empty; expected {{ N = [64, 65] }}", node.key));
    }
    size_t product = 1;
    for (const Node& entry : node.items) {
      ShapeAxis axis{entry.key, entry.key_place, {}};
      const std::vector<Node> single(entry.kind == Node::Kind::array ? 0 : 1, entry);
      const std::vector<Node>& items = single.empty() ? entry.items : single;
      if (items.empty()) {
        return mistake(entry.place, fmt::format("\"{}\" of the grid \"{}\" has no values; expected at least one",
                                                entry.key, node.key));
      }
      for (const Node& item : items) {
        ASSAY_TRY(const Value value, read_dimension(item, entry.key));
        ASSAY_CHECK(note(entry.key, value, entry.key_place, item.place));
        axis.values.push_back(value);
        if (axis.values.size() > kMaxShapes) break;
      }
      product = std::min(product * axis.values.size(), kMaxShapes + 1);
      set.axes.push_back(std::move(axis));
    }
    return count(product, node);
  }

  Result<void> count(size_t more, const Node& node) {
    count_ += more;
    if (count_ <= kMaxShapes) return {};
    return mistake(node.key_place, fmt::format("with \"{}\" there are more than {} shapes", node.key, kMaxShapes),
                   "give fewer values");
  }

  // Gives every shape of the set every dimension, now that all are known.
  Result<void> complete(ShapeSet& set) {
    for (const std::string& dimension : shapes_.dimensions) {
      const auto given = shapes_.defaults.find(dimension);
      const bool has_default = given != shapes_.defaults.end() || shapes_.kinds.at(dimension) == Value::Kind::boolean;
      const Value value = given != shapes_.defaults.end() ? given->second : Value(false);
      const auto missing = [&](const Place& place) {
        return mistake(place,
                       fmt::format("a shape of \"{}\" has no \"{}\", which other shapes have", set.name, dimension),
                       fmt::format("give it, or its default: [shapes] defaults = {{ {} = ... }}", dimension));
      };
      if (set.is_grid) {
        const bool there = std::any_of(set.axes.begin(), set.axes.end(),
                                       [&](const ShapeAxis& axis) { return axis.name == dimension; });
        if (there) continue;
        if (!has_default) return missing(set.place);
        set.axes.push_back({dimension, set.place, {value}});
        continue;
      }
      for (size_t i = 0; i < set.list.size(); ++i) {
        if (set.list[i].contains(dimension)) continue;
        if (!has_default) return missing(list_places_[completed_ + i]);
        set.list[i][dimension] = value;
      }
    }
    completed_ += set.list.size();
    return {};
  }

  const Node& section_;
  ShapesSection& shapes_;
  size_t count_ = 0;
  std::vector<Place> list_places_;  // of the shapes of all lists, one after the other
  size_t completed_ = 0;            // how many of them belong to the sets that are complete
};

}  // namespace

Result<void> read_shapes(const Node& root, KernelSpec& spec) {
  ASSAY_TRY(const Node* const section, require_section(root, "shapes", Node::Kind::table));
  return ShapesReader(*section, spec.shapes).read();
}

}  // namespace assay::spec
