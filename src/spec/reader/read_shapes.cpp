// SPDX-License-Identifier: MIT
// [shapes]: named lists of shapes, and grids whose Cartesian product they stand for.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "spec/reader/sections.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxDimensions = 32;

class ShapesReader {
 public:
  ShapesReader(const TableReader& section, ShapesSection& shapes)
      : table_(section), section_(section.node()), mistakes_(section.mistakes()), shapes_(shapes) {}

  void read() {
    shapes_.place = section_.place;
    read_defaults();
    const size_t before = mistakes_.count();
    for (const Node& item : section_.items) {
      if (item.key != "constraints" && item.key != "defaults") read_set(item);
    }
    if (shapes_.sets.empty() && mistakes_.count() == before) {
      mistakes_.add(section_.place, "[shapes] has no shapes; expected a list such as canonical = [{ N = 64 }]");
    }
    if (count_ <= kMaxShapes) {
      for (ShapeSet& set : shapes_.sets) complete(set);
    }
    shapes_.constraints = table_.expressions("constraints");
  }

 private:
  // The value of a dimension, which exists from here on, with this kind of value everywhere. What is wrong reads as 1.
  Value read_value(const Node& item, const Node& entry) {
    const std::string& dimension = entry.key;
    const std::optional<Value> value = read_dimension(item, dimension, mistakes_);
    if (std::ranges::find(shapes_.dimensions, dimension) == shapes_.dimensions.end()) {
      expect_name(dimension, entry.key_place, "a dimension", mistakes_);
      shapes_.dimensions.push_back(dimension);
      if (shapes_.dimensions.size() == kMaxDimensions + 1) {
        mistakes_.add(entry.key_place, fmt::format("the shapes have more than {} dimensions", kMaxDimensions));
      }
    }
    if (!value) return Value(1);
    const auto [found, is_new] = shapes_.kinds.emplace(dimension, value->kind());
    if (!is_new && found->second != value->kind() && mixed_.insert(dimension).second) {
      mistakes_.add(item.place, fmt::format("dimension \"{}\" is {} here and {} before; expected one kind", dimension,
                                            kind_name(value->kind()), kind_name(found->second)));
    }
    return *value;
  }

  void read_defaults() {
    const Node* const defaults = table_.find("defaults", Node::Kind::table);
    if (defaults == nullptr) return;
    for (const Node& item : defaults->items) shapes_.defaults[item.key] = read_value(item, item);
  }

  void read_set(const Node& node) {
    ShapeSet set;
    set.name = node.key;
    set.place = node.key_place;
    if (!is_identifier(node.key)) {
      mistakes_.add(node.key_place, fmt::format("\"{}\" cannot name a list of shapes; expected letters, digits and "
                                                "underscores, no digit first",
                                                node.key));
    }
    if (node.kind == Node::Kind::table) {
      read_grid(node, set);
    } else if (node.kind == Node::Kind::array) {
      read_list(node, set);
    } else {
      mistakes_.add(node.place, fmt::format("\"{}\" in [shapes] is {}; expected a list [{{ N = 64 }}] or a grid "
                                            "{{ N = [64, 65] }}",
                                            node.key, kind_name(node.kind)));
      return;
    }
    shapes_.sets.push_back(std::move(set));
  }

  void read_list(const Node& node, ShapeSet& set) {
    if (node.items.empty()) {
      mistakes_.add(node.place, fmt::format("\"{}\" in [shapes] is empty; expected at least one shape", node.key));
    }
    for (const Node& item : node.items) {
      if (!expect_kind(item, Node::Kind::table, fmt::format("a shape of \"{}\"", node.key), mistakes_)) continue;
      Bindings shape;
      for (const Node& entry : item.items) shape[entry.key] = read_value(entry, entry);
      set.list.push_back(std::move(shape));
      list_places_.push_back(item.place);
      if (!count(1, node)) return;
    }
  }

  void read_grid(const Node& node, ShapeSet& set) {
    set.is_grid = true;
    if (node.items.empty()) {
      mistakes_.add(node.place, fmt::format("the grid \"{}\" is empty; expected {{ N = [64, 65] }}", node.key));
    }
    size_t product = 1;
    for (const Node& entry : node.items) {
      ShapeAxis axis{entry.key, entry.key_place, {}};
      if (entry.kind == Node::Kind::array) {
        for (const Node& item : entry.items) {
          axis.values.push_back(read_value(item, entry));
          if (axis.values.size() > kMaxShapes) break;
        }
      } else {
        axis.values.push_back(read_value(entry, entry));
      }
      if (axis.values.empty()) {
        mistakes_.add(entry.place, fmt::format("\"{}\" of the grid \"{}\" has no values; expected at least one",
                                               entry.key, node.key));
      }
      product = std::min(product * std::max<size_t>(1, axis.values.size()), kMaxShapes + 1);
      set.axes.push_back(std::move(axis));
    }
    count(product, node);
  }

  // False once there are too many.
  bool count(size_t more, const Node& node) {
    const bool said = count_ > kMaxShapes;
    count_ += more;
    if (count_ <= kMaxShapes) return true;
    if (!said) {
      mistakes_.add(node.key_place, fmt::format("with \"{}\" there are more than {} shapes", node.key, kMaxShapes),
                    "give fewer values");
    }
    return false;
  }

  // Gives every shape of the set every dimension, now that all are known.
  void complete(ShapeSet& set) {
    for (const std::string& dimension : shapes_.dimensions) {
      const auto given = shapes_.defaults.find(dimension);
      const auto kind = shapes_.kinds.find(dimension);
      const bool boolean = kind != shapes_.kinds.end() && kind->second == Value::Kind::boolean;
      const bool has_default = given != shapes_.defaults.end() || boolean;
      const Value value = given != shapes_.defaults.end() ? given->second : Value(false);
      const auto missing = [&](const Place& place) {
        mistakes_.add(place,
                      fmt::format("a shape of \"{}\" has no \"{}\", which other shapes have", set.name, dimension),
                      fmt::format("give it, or its default: [shapes] defaults = {{ {} = ... }}", dimension));
      };
      if (set.is_grid) {
        const bool there = std::any_of(set.axes.begin(), set.axes.end(),
                                       [&](const ShapeAxis& axis) { return axis.name == dimension; });
        if (there || set.axes.empty()) continue;
        if (!has_default) missing(set.place);
        set.axes.push_back({dimension, set.place, {value}});
        continue;
      }
      for (size_t i = 0; i < set.list.size(); ++i) {
        if (set.list[i].contains(dimension)) continue;
        if (!has_default) missing(list_places_[completed_ + i]);
        set.list[i][dimension] = value;
      }
    }
    completed_ += set.list.size();
  }

  const TableReader& table_;
  const Node& section_;
  Mistakes& mistakes_;
  ShapesSection& shapes_;
  size_t count_ = 0;
  std::set<std::string> mixed_;     // dimensions with values of several kinds; said once
  std::vector<Place> list_places_;  // of the shapes of all lists, one after the other
  size_t completed_ = 0;            // how many of them belong to the sets that are complete
};

}  // namespace

void read_shapes(const TableReader& file, KernelSpec& spec) {
  const Node* const section = file.require_section("shapes", Node::Kind::table);
  if (section == nullptr) return;
  ShapesReader(TableReader(*section, "[shapes]", file.mistakes()), spec.shapes).read();
}

}  // namespace assay::spec
