// SPDX-License-Identifier: MIT
#include "build/entry_points.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "build/entry_name.hpp"
#include "ptx/parser.hpp"
#include "ptx/type.hpp"
#include "ptx/variable_name.hpp"
#include "spec/launch.hpp"
#include "spec/parameter_layout.hpp"

namespace assay::build {
namespace {

// The heads of the entries as a module of their own, each with an empty body: ".visible .entry name(...) { ret; }".
std::string heads_of(std::string_view ptx) {
  std::string heads = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (size_t at = ptx.find(".entry"); at != std::string_view::npos; at = ptx.find(".entry", at + 1)) {
    const size_t body = ptx.find('{', at);
    if (body == std::string_view::npos) break;
    std::string_view head = ptx.substr(at, body - at);
    if (head.find(';') != std::string_view::npos) continue;  // a declaration, or text that is none
    // What follows the parameters (.maxntid ...) is of no interest here.
    if (const size_t close = head.rfind(')'); close != std::string_view::npos) head = head.substr(0, close + 1);
    heads += fmt::format(".visible {} {{ ret; }}\n", head);
  }
  return heads;
}

std::string sizes_text(const std::vector<size_t>& sizes) {
  std::vector<std::string> parts;
  for (const size_t bytes : sizes) parts.push_back(std::to_string(bytes));
  return parts.empty() ? "" : fmt::format(" (of {} bytes)", join(parts, ", "));
}

std::string arguments_text(const spec::ParameterLayout& layout) {
  std::vector<std::string> parts;
  for (const auto& parameter : layout.parameters)
    parts.push_back(fmt::format("{} ({})", parameter.name, parameter.bytes));
  return join(parts, ", ");
}

// The argument that the parameter is made of; of a structure the first one.
const spec::ArgumentSpec& argument_of(const spec::KernelSpec& spec, const spec::ParameterLayout& layout, size_t index) {
  for (size_t i = 0; i < layout.positions.size(); ++i) {
    if (layout.positions[i] && layout.positions[i]->parameter == index) return spec.arguments[i];
  }
  return spec.arguments.front();
}

Result<void> check_parameters(const spec::KernelSpec& spec, const spec::StageSpec& stage,
                              const spec::ParameterLayout& layout, const EntryPoint& entry) {
  const size_t wanted = entry.parameter_bytes.size();
  const size_t given = layout.parameters.size();
  for (size_t i = 0; i < std::min(wanted, given) && wanted == given; ++i) {
    if (entry.parameter_bytes[i] == layout.parameters[i].bytes) continue;
    const spec::ArgumentSpec& argument = argument_of(spec, layout, i);
    const char* const noun = argument.structure.empty() ? "argument" : "structure";
    return Error{fmt::format("{} \"{}\" has {}, but parameter {} of kernel \"{}\" has {}; it takes {}{}", noun,
                             layout.parameters[i].name, counted(layout.parameters[i].bytes, "byte"), i + 1,
                             readable_entry(entry.name), counted(entry.parameter_bytes[i], "byte"),
                             counted(wanted, "parameter"), sizes_text(entry.parameter_bytes)),
                 argument.place, "compare the arguments and their types with the kernel's signature"};
  }
  if (wanted == given) return {};
  return Error{fmt::format("kernel \"{}\" takes {}{}, but the specification has {}: {}", readable_entry(entry.name),
                           counted(wanted, "parameter"), sizes_text(entry.parameter_bytes), counted(given, "argument"),
                           arguments_text(layout)),
               stage.all_arguments ? spec.arguments.front().place : stage.place,
               stage.all_arguments ? "give an [[argument]] for each parameter, in their order"
                                   : "list the stage's arguments, one for each parameter, in their order"};
}

}  // namespace

size_t declared_bytes(const ptx::Variable& variable) {
  const auto type = ptx::type_named(variable.type);
  size_t bytes = type ? static_cast<size_t>(ptx::bytes_of(*type)) : spec::kPointerBytes;  // .texref and its like
  bytes *= static_cast<size_t>(variable.vector_width);
  for (const int64_t dimension : variable.dimensions) bytes *= static_cast<size_t>(std::max<int64_t>(0, dimension));
  return bytes;
}

std::vector<EntryPoint> entry_points(std::string_view ptx) {
  std::vector<EntryPoint> entries;
  const auto module = ptx::parse(heads_of(ptx), "heads");
  if (!module) return entries;
  for (const ptx::ModuleItem& item : module->items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->is_entry) continue;
    EntryPoint entry{.name = function->name, .parameter_bytes = {}};
    for (const ptx::Variable& parameter : function->parameters)
      entry.parameter_bytes.push_back(declared_bytes(parameter));
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<ModuleVariable> module_variables(std::string_view ptx) {
  std::vector<ModuleVariable> variables;
  const auto module = ptx::parse(ptx, "module");
  if (!module) return variables;
  for (const ptx::ModuleItem& item : module->items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr || (variable->space != "global" && variable->space != "const")) continue;
    variables.push_back({variable->name, variable->space == "const", declared_bytes(*variable)});
  }
  return variables;
}

Result<std::vector<std::string>> stage_entries(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                               const spec::Shape& shape, const std::vector<EntryPoint>& entries) {
  std::vector<std::string> known;
  for (const EntryPoint& entry : entries) known.push_back(entry.name);
  std::vector<std::string> names;
  for (const spec::StageSpec& stage : spec.stages) {
    ASSAY_TRY(const std::string wanted, spec::entry_name(spec, stage, configuration, shape));
    ASSAY_TRY(std::string name, find_entry_name(wanted, known, stage.entry.place(), spec.kernel.source.string()));
    names.push_back(std::move(name));
  }
  return names;
}

Result<void> check_variables(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                             std::span<const spec::Shape> shapes, const std::vector<ModuleVariable>& variables) {
  for (const spec::ArgumentSpec& argument : spec.arguments) {
    if (argument.global.empty()) continue;
    std::vector<std::string> known;
    for (const ModuleVariable& variable : variables) known.push_back(variable.name);
    const std::vector<std::string> meant = ptx::variables_named(argument.global, known);
    if (meant.empty()) {
      std::vector<std::string> readable;
      for (const std::string& name : known) readable.push_back(ptx::readable_variable(name));
      const std::string near = nearest(argument.global, readable);
      return Error{fmt::format("there is no __constant__ or __device__ variable \"{}\" in {}; it has: {}",
                               argument.global, spec.kernel.source.string(), ptx::list_variables(known)),
                   argument.global_place, near.empty() ? "" : fmt::format("did you mean \"{}\"?", near)};
    }
    if (meant.size() > 1) {
      return Error{fmt::format("\"{}\" may be {} variables of {}: {}", argument.global, meant.size(),
                               spec.kernel.source.string(), ptx::list_variables(meant)),
                   argument.global_place, "write the one that is meant"};
    }
    const ModuleVariable& variable = *std::ranges::find(variables, meant.front(), &ModuleVariable::name);
    for (const spec::Shape& shape : shapes) {
      ASSAY_TRY(const std::string obstacle, spec::why_not_applicable(spec, configuration, shape));
      if (!obstacle.empty()) continue;
      ASSAY_TRY(const std::vector<spec::ResolvedArgument> arguments, resolve_arguments(spec, configuration, shape));
      const auto resolved = std::ranges::find(arguments, argument.name, &spec::ResolvedArgument::name);
      const size_t bytes = resolved->tensor() != nullptr ? static_cast<size_t>(resolved->tensor()->bytes)
                                                         : resolved->scalar()->encoded.size();
      if (bytes <= variable.bytes) continue;
      return Error{fmt::format("argument \"{}\" has {} with {}, but the variable \"{}\" has {}", argument.name,
                               counted(bytes, "byte"), shape.text(), argument.global, counted(variable.bytes, "byte")),
                   argument.global_place, "make the variable larger, or the argument's shape smaller"};
    }
  }
  return {};
}

Result<void> check_entry_points(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                std::span<const spec::Shape> shapes, const std::vector<EntryPoint>& entries) {
  std::set<std::vector<std::string>> seen;
  for (const spec::Shape& shape : shapes) {
    ASSAY_TRY(const std::string obstacle, spec::why_not_applicable(spec, configuration, shape));
    if (!obstacle.empty()) continue;
    ASSAY_TRY(const std::vector<std::string> names, stage_entries(spec, configuration, shape, entries));
    if (!seen.insert(names).second) continue;
    ASSAY_TRY(const std::vector<spec::ResolvedArgument> arguments, resolve_arguments(spec, configuration, shape));
    for (size_t i = 0; i < names.size(); ++i) {
      const auto entry = std::ranges::find(entries, names[i], &EntryPoint::name);
      if (!entry->sizes_known) continue;
      const spec::StageSpec& stage = spec.stages[i];
      ASSAY_CHECK(check_parameters(spec, stage, spec::parameter_layout(arguments, stage.arguments), *entry));
    }
  }
  return {};
}

}  // namespace assay::build
