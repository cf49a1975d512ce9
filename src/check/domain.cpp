// SPDX-License-Identifier: MIT
#include "check/domain.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace assay::check {
namespace {

std::set<std::string> names_in_templates(const spec::KernelSpec& spec) {
  std::set<std::string> names;
  const auto add = [&](const spec::TemplateText& text) {
    for (const auto& placeholder : text.placeholders()) names.insert(placeholder.name);
  };
  for (const spec::StageSpec& stage : spec.stages) add(stage.entry);
  for (const spec::ArgumentSpec& argument : spec.arguments) {
    if (argument.tensor() != nullptr) add(argument.tensor()->dtype);
    if (argument.scalar() != nullptr) add(argument.scalar()->type);
  }
  return names;
}

}  // namespace

Result<std::vector<Domain>> domains(const spec::KernelSpec& spec) {
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(spec));
  std::map<std::string, std::set<spec::Value>> values;
  for (const spec::Shape& shape : shapes) {
    for (const auto& [name, value] : shape.values) values[name].insert(value);
  }
  const std::set<std::string> fixed = names_in_templates(spec);
  const bool from_file = std::ranges::any_of(spec.arguments, [](const spec::ArgumentSpec& argument) {
    return argument.tensor() != nullptr && argument.tensor()->fill.kind == spec::FillKind::file;
  });
  std::vector<Domain> list;
  for (const std::string& name : spec.shapes.dimensions) {
    Domain domain;
    domain.name = name;
    domain.values.assign(values[name].begin(), values[name].end());
    const bool ragged = std::any_of(domain.values.begin(), domain.values.end(), [](const spec::Value& value) {
      return value.is_integer() && value.integer() % 8 != 0;
    });
    // A file holds the sizes that it holds.
    domain.open = ragged && !fixed.contains(name) && !from_file;
    if (domain.open) domain.limit = domain.values.back().integer();
    list.push_back(std::move(domain));
  }
  return list;
}

}  // namespace assay::check
