// SPDX-License-Identifier: MIT
#include "build/entry_points.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "ptx/demangle.hpp"
#include "ptx/parser.hpp"
#include "ptx/type.hpp"
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

size_t bytes_of(const ptx::Variable& parameter) {
  const auto type = ptx::type_named(parameter.type);
  size_t bytes = type ? static_cast<size_t>(ptx::bytes_of(*type)) : spec::kPointerBytes;  // .texref and its like
  bytes *= static_cast<size_t>(parameter.vector_width);
  for (const int64_t dimension : parameter.dimensions) bytes *= static_cast<size_t>(std::max<int64_t>(0, dimension));
  return bytes;
}

std::string list_of(const std::vector<EntryPoint>& entries) {
  constexpr size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const EntryPoint& entry : entries) {
    if (names.size() == kMostNamed) {
      names.push_back(fmt::format("and {} more", entries.size() - kMostNamed));
      break;
    }
    names.push_back(entry.name);
  }
  return names.empty() ? "none" : join(names, ", ");
}

Error no_such_entry(const spec::KernelSpec& spec, const std::string& wanted, const std::vector<EntryPoint>& entries) {
  const std::string source = spec.kernel.source.string();
  Error error{fmt::format("there is no kernel \"{}\" in {}; it has: {}", wanted, source, list_of(entries)),
              spec.kernel.entry.place(), ""};
  std::vector<std::string> names;
  for (const EntryPoint& entry : entries) {
    names.push_back(entry.name);
    const std::string plain = ptx::demangle(entry.name);
    if (plain != entry.name && plain.substr(0, plain.find_first_of("(<")) == wanted) {
      error.hint =
          fmt::format("{} is a C++ name: declare the kernel extern \"C\", or write entry = \"{}\"", plain, entry.name);
      return error;
    }
  }
  if (const std::string near = nearest(wanted, names); !near.empty())
    error.hint = fmt::format("did you mean \"{}\"?", near);
  return error;
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

Result<void> check_parameters(const spec::KernelSpec& spec, const spec::ParameterLayout& layout,
                              const EntryPoint& entry) {
  const size_t wanted = entry.parameter_bytes.size();
  const size_t given = layout.parameters.size();
  for (size_t i = 0; i < std::min(wanted, given) && wanted == given; ++i) {
    if (entry.parameter_bytes[i] == layout.parameters[i].bytes) continue;
    const spec::ArgumentSpec& argument = argument_of(spec, layout, i);
    const char* const noun = argument.structure.empty() ? "argument" : "structure";
    return Error{fmt::format("{} \"{}\" has {}, but parameter {} of kernel \"{}\" has {}; it takes {}{}", noun,
                             layout.parameters[i].name, counted(layout.parameters[i].bytes, "byte"), i + 1, entry.name,
                             counted(entry.parameter_bytes[i], "byte"), counted(wanted, "parameter"),
                             sizes_text(entry.parameter_bytes)),
                 argument.place, "compare the arguments and their types with the kernel's signature"};
  }
  if (wanted == given) return {};
  return Error{fmt::format("kernel \"{}\" takes {}{}, but the specification has {}: {}", entry.name,
                           counted(wanted, "parameter"), sizes_text(entry.parameter_bytes), counted(given, "argument"),
                           arguments_text(layout)),
               spec.arguments.front().place, "give an [[argument]] for each parameter, in their order"};
}

}  // namespace

std::vector<EntryPoint> entry_points(std::string_view ptx) {
  std::vector<EntryPoint> entries;
  const auto module = ptx::parse(heads_of(ptx), "heads");
  if (!module) return entries;
  for (const ptx::ModuleItem& item : module->items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->is_entry) continue;
    EntryPoint entry{function->name, {}};
    for (const ptx::Variable& parameter : function->parameters) entry.parameter_bytes.push_back(bytes_of(parameter));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<void> check_entry_points(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                std::span<const spec::Shape> shapes, const std::vector<EntryPoint>& entries) {
  std::set<std::string> seen;
  for (const spec::Shape& shape : shapes) {
    ASSAY_TRY(const std::string obstacle, spec::why_not_applicable(spec, configuration, shape));
    if (!obstacle.empty()) continue;
    ASSAY_TRY(const std::string name, spec::entry_name(spec, configuration, shape));
    if (!seen.insert(name).second) continue;
    const auto entry = std::ranges::find(entries, name, &EntryPoint::name);
    if (entry == entries.end()) return no_such_entry(spec, name, entries);
    ASSAY_TRY(const std::vector<spec::ResolvedArgument> arguments, resolve_arguments(spec, configuration, shape));
    ASSAY_CHECK(check_parameters(spec, spec::parameter_layout(arguments), *entry));
  }
  return {};
}

}  // namespace assay::build
