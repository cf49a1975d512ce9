// SPDX-License-Identifier: MIT
// Shapes: one value for each dimension of the problem.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::spec {

struct Shape {
  Bindings values;

  std::string text() const;  // "B=1,D=64,H=8,S=512", the form that --shape takes
  auto operator<=>(const Shape&) const = default;
};

// The names of the lists and grids of [shapes], in the file's order.
std::vector<std::string> shape_set_names(const KernelSpec& spec);
// One list or grid, in the file's order, without what [shapes] constraints exclude.
Result<std::vector<Shape>> shapes(const KernelSpec& spec, std::string_view set_name);
// All sets together, each shape once, smallest first.
Result<std::vector<Shape>> all_shapes(const KernelSpec& spec);
// The first of "canonical" if there is such a set, else the first of the file.
Result<Shape> first_shape(const KernelSpec& spec);

// The product of the integer dimensions: an order from small to large.
double volume(const Shape& shape);
void sort_smallest_first(std::vector<Shape>& shapes);

// "B=1,H=8,S=512,D=64" as given to --shape; dimensions that have a default may be absent.
Result<Shape> parse_shape(const KernelSpec& spec, std::string_view text);
// A shape made by a program (fuzzing, shrinking): complete, of the right kinds, within [shapes] constraints?
Result<void> validate(const KernelSpec& spec, const Shape& shape);

// Why this configuration cannot run this shape (a constraint that names both), or "" if it can.
Result<std::string> why_not_applicable(const KernelSpec& spec, const Configuration& configuration, const Shape& shape);

// Every name that expressions may use: tunables, dimensions and those of [let].
Result<Bindings> bind(const KernelSpec& spec, const Configuration& configuration, const Shape& shape);

}  // namespace assay::spec
