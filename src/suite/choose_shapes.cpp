// SPDX-License-Identifier: MIT
#include "suite/choose_shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "spec/mistake.hpp"

namespace assay::suite {
namespace {

using spec::mistake;

constexpr const char* kDtype = "dtype";

Result<void> check_dimensions(const spec::KernelSpec& spec, const ShapeTable& table) {
  for (const Dimension& dimension : table.dimensions) {
    const auto known = spec.shapes.kinds.find(dimension.name);
    if (known == spec.shapes.kinds.end())
      return mistake(dimension.place,
                     fmt::format("the kernel \"{}\" has no dimension \"{}\"", spec.kernel.name, dimension.name),
                     spec::suggestion(dimension.name, spec.shapes.dimensions, "dimensions"));
    for (size_t i = 0; i < dimension.values.size(); ++i) {
      if (dimension.values[i].kind() == known->second) continue;
      return mistake(dimension.value_places[i],
                     fmt::format("\"{}\" is {}; expected {}, as in {}", dimension.name,
                                 kind_name(dimension.values[i].kind()), kind_name(known->second), spec.file.string()));
    }
  }
  return {};
}

// Gives the shape what the kernel's specification says for dimensions that are absent. `has_dtypes`: the element type
// comes later.
Result<spec::Shape> complete(const spec::KernelSpec& spec, spec::Bindings values, const Place& place, bool has_dtypes) {
  for (const std::string& dimension : spec.shapes.dimensions) {
    if (values.contains(dimension) || (has_dtypes && dimension == kDtype)) continue;
    const auto usual = spec.shapes.defaults.find(dimension);
    if (usual != spec.shapes.defaults.end()) {
      values[dimension] = usual->second;
    } else if (spec.shapes.kinds.at(dimension) == spec::Value::Kind::boolean) {
      values[dimension] = spec::Value(false);
    } else {
      return mistake(place,
                     fmt::format("the shape has no \"{}\", which the kernel \"{}\" needs", dimension, spec.kernel.name),
                     fmt::format("give {} = ...", dimension));
    }
  }
  return spec::Shape{std::move(values)};
}

struct Candidate {
  spec::Shape shape;
  Place place;
  bool must_be_legal = false;
};

Result<std::vector<Candidate>> from_grid(const spec::KernelSpec& spec, const ShapeTable& grid, bool has_dtypes) {
  ASSAY_CHECK(check_dimensions(spec, grid));
  std::vector<Candidate> result;
  std::vector<size_t> digits(grid.dimensions.size(), 0);
  while (true) {
    spec::Bindings values;
    for (size_t i = 0; i < digits.size(); ++i) values[grid.dimensions[i].name] = grid.dimensions[i].values[digits[i]];
    ASSAY_TRY(spec::Shape shape, complete(spec, std::move(values), grid.place, has_dtypes));
    result.push_back({std::move(shape), grid.place, false});
    size_t at = digits.size();
    while (at > 0 && ++digits[at - 1] == grid.dimensions[at - 1].values.size()) digits[--at] = 0;
    if (at == 0) return result;
  }
}

Result<std::vector<Candidate>> candidates(const spec::KernelSpec& spec, const ShapeChoice& choice, bool has_dtypes) {
  std::vector<Candidate> result;
  if (choice.grid) return from_grid(spec, *choice.grid, has_dtypes);
  if (!choice.set) {
    for (const ShapeTable& table : choice.list) {
      ASSAY_CHECK(check_dimensions(spec, table));
      spec::Bindings values;
      for (const Dimension& dimension : table.dimensions) values[dimension.name] = dimension.values.front();
      ASSAY_TRY(spec::Shape shape, complete(spec, std::move(values), table.place, has_dtypes));
      result.push_back({std::move(shape), table.place, true});
    }
    return result;
  }
  const std::vector<std::string> names = spec::shape_set_names(spec);
  if (std::ranges::find(names, choice.set->text) == names.end())
    return mistake(choice.set->place,
                   fmt::format("the kernel \"{}\" has no shapes \"{}\"", spec.kernel.name, choice.set->text),
                   spec::suggestion(choice.set->text, names, "there are"));
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::shapes(spec, choice.set->text));
  result.reserve(shapes.size());
  for (const spec::Shape& shape : shapes) result.push_back({shape, choice.set->place, false});
  return result;
}

Result<void> check_dtypes(const spec::KernelSpec& spec, const Dtypes& dtypes) {
  if (dtypes.types.empty()) return {};
  const auto kind = spec.shapes.kinds.find(kDtype);
  if (kind != spec.shapes.kinds.end() && kind->second == spec::Value::Kind::dtype) return {};
  return mistake(
      dtypes.place,
      fmt::format("the kernel \"{}\" has no dimension \"dtype\" that \"dtypes\" could set", spec.kernel.name),
      spec::suggestion(kDtype, spec.shapes.dimensions, "dimensions"));
}

}  // namespace

Result<std::vector<spec::Shape>> choose_shapes(const spec::KernelSpec& spec, const ShapeChoice& choice,
                                               const Dtypes& dtypes) {
  ASSAY_CHECK(check_dtypes(spec, dtypes));
  ASSAY_TRY(const std::vector<Candidate> all, candidates(spec, choice, !dtypes.types.empty()));
  std::vector<spec::Shape> result;
  std::set<spec::Bindings> seen;
  for (const Candidate& candidate : all) {
    for (size_t i = 0; i < std::max<size_t>(1, dtypes.types.size()); ++i) {
      spec::Shape shape = candidate.shape;
      if (!dtypes.types.empty()) shape.values[kDtype] = spec::Value(dtypes.types[i]);
      if (const auto legal = spec::validate(spec, shape); !legal) {
        if (candidate.must_be_legal) return mistake(candidate.place, legal.error().message);
        continue;
      }
      if (!seen.insert(shape.values).second) continue;
      result.push_back(std::move(shape));
      if (result.size() > kMaxItems)
        return mistake(candidate.place, fmt::format("the suite has more than {} shapes of one kernel", kMaxItems));
    }
  }
  if (result.empty())
    return mistake(
        all.empty() ? Place{} : all.front().place,
        fmt::format("every shape breaks a constraint of the kernel \"{}\"; expected at least one that does not",
                    spec.kernel.name));
  return result;
}

}  // namespace assay::suite
