// SPDX-License-Identifier: MIT
#include "spec/shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "spec/enumerate.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {

std::string Shape::text() const {
  return to_string(values);
}

std::vector<std::string> shape_set_names(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const ShapeSet& set : spec.shapes.sets) names.push_back(set.name);
  return names;
}

Result<std::vector<Shape>> shapes(const KernelSpec& spec, std::string_view set_name) {
  for (const ShapeSet& set : spec.shapes.sets) {
    if (set.name != set_name) continue;
    std::vector<Shape> result;
    ASSAY_CHECK(for_each_shape(spec, set, [&](const Shape& shape) -> Result<bool> {
      result.push_back(shape);
      return true;
    }));
    if (!result.empty()) return result;
    return mistake(set.place, fmt::format("every shape of \"{}\" breaks one of the constraints of [shapes]", set.name));
  }
  return mistake(spec.shapes.place, fmt::format("[shapes] has no \"{}\"", set_name),
                 suggestion(std::string(set_name), shape_set_names(spec), "there are"));
}

Result<std::vector<Shape>> all_shapes(const KernelSpec& spec) {
  std::set<Bindings> seen;
  std::vector<Shape> result;
  for (const ShapeSet& set : spec.shapes.sets) {
    ASSAY_CHECK(for_each_shape(spec, set, [&](const Shape& shape) -> Result<bool> {
      if (seen.insert(shape.values).second) result.push_back(shape);
      return true;
    }));
  }
  sort_smallest_first(result);
  return result;
}

Result<Shape> first_shape(const KernelSpec& spec) {
  std::optional<Shape> first;
  const auto take = [&](const Shape& shape) -> Result<bool> {
    first = shape;
    return false;
  };
  for (const ShapeSet& set : spec.shapes.sets) {
    if (set.name == "canonical") ASSAY_CHECK(for_each_shape(spec, set, take));
  }
  for (const ShapeSet& set : spec.shapes.sets) {
    if (!first) ASSAY_CHECK(for_each_shape(spec, set, take));
  }
  if (first) return std::move(*first);
  return mistake(spec.shapes.place,
                 "every shape breaks one of the constraints of [shapes]; expected at least one that does not");
}

double volume(const Shape& shape) {
  double product = 1;
  for (const auto& [name, value] : shape.values) {
    if (value.is_integer()) product *= value.as_double();
  }
  return product;
}

void sort_smallest_first(std::vector<Shape>& shapes) {
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) { return volume(a) < volume(b); });
}

Result<void> validate(const KernelSpec& spec, const Shape& shape) {
  for (const std::string& dimension : spec.shapes.dimensions) {
    const auto found = shape.values.find(dimension);
    if (found == shape.values.end()) {
      return mistake({}, fmt::format("the shape {} has no \"{}\"", shape.text(), dimension));
    }
    const Value::Kind kind = spec.shapes.kinds.at(dimension);
    if (found->second.kind() != kind) {
      return mistake({}, fmt::format("{}={} in the shape is {}; expected {}", dimension, to_string(found->second),
                                     kind_name(found->second.kind()), kind_name(kind)));
    }
    if (found->second.is_integer() && found->second.integer() < 0) {
      return mistake({}, fmt::format("{}={} in the shape; expected at least 0", dimension, found->second.integer()));
    }
  }
  Bindings scope = shape.values;
  ASSAY_CHECK(bind_lets(spec, scope));
  for (const Expression& constraint : spec.shapes.constraints) {
    ASSAY_TRY(const bool holds, constraint.evaluate_condition(scope));
    if (holds) continue;
    return mistake({}, fmt::format("the shape {} breaks the constraint \"{}\"", shape.text(), constraint.text()));
  }
  return {};
}

Result<Shape> parse_shape(const KernelSpec& spec, std::string_view text) {
  Shape shape;
  ASSAY_TRY(shape.values, parse_bindings(text, "--shape", spec.shapes.dimensions));
  for (const std::string& dimension : spec.shapes.dimensions) {
    const bool is_boolean = spec.shapes.kinds.at(dimension) == Value::Kind::boolean;
    const auto given = shape.values.find(dimension);
    if (given == shape.values.end()) {
      const auto usual = spec.shapes.defaults.find(dimension);
      if (usual == spec.shapes.defaults.end() && !is_boolean) {
        return mistake({}, fmt::format("--shape \"{}\" has no \"{}\"; expected {}=VALUE", text, dimension, dimension));
      }
      shape.values[dimension] = usual == spec.shapes.defaults.end() ? Value(false) : usual->second;
    } else if (is_boolean && given->second.is_integer() && (given->second == Value(0) || given->second == Value(1))) {
      given->second = Value(given->second == Value(1));
    }
  }
  ASSAY_CHECK(validate(spec, shape));
  return shape;
}

Result<Bindings> bind(const KernelSpec& spec, const Configuration& configuration, const Shape& shape) {
  Bindings scope = configuration.values;
  scope.insert(shape.values.begin(), shape.values.end());
  ASSAY_CHECK(bind_lets(spec, scope));
  return scope;
}

Result<std::string> why_not_applicable(const KernelSpec& spec, const Configuration& configuration, const Shape& shape) {
  if (spec.tunable.pair_constraints.empty()) return std::string();
  ASSAY_TRY(const Bindings scope, bind(spec, configuration, shape));
  for (const Expression& constraint : spec.tunable.pair_constraints) {
    ASSAY_TRY(const bool holds, constraint.evaluate_condition(scope));
    if (!holds) return fmt::format("the constraint \"{}\" does not hold for {}", constraint.text(), shape.text());
  }
  return std::string();
}

}  // namespace assay::spec
