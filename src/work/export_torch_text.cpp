// SPDX-License-Identifier: MIT
#include "work/export_torch_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "base/version.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

const std::set<std::string>& python_words() {
  static const std::set<std::string> words = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "torch"};
  return words;
}

std::string python_name(const std::string& name) {
  std::string made;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    made += plain ? c : '_';
  }
  if (made.empty() || (made[0] >= '0' && made[0] <= '9')) made.insert(0, "k");
  return python_words().contains(made) ? made + "_" : made;
}

std::vector<std::string> texts(const std::vector<spec::Expression>& expressions) {
  std::vector<std::string> all;
  for (const spec::Expression& each : expressions) all.push_back(each.text());
  return all;
}

const char* role_name(spec::Role role) {
  switch (role) {
    case spec::Role::input:
      return "input";
    case spec::Role::output:
      return "output";
    case spec::Role::inout:
      return "inout";
    case spec::Role::scratch:
      break;
  }
  return "scratch";
}

json argument_json(const spec::ArgumentSpec& argument) {
  json entry = {{"name", argument.name},
                {"structure", argument.structure},
                {"variable", argument.global},
                {"passed", argument.passed}};
  if (argument.at) entry["at"] = *argument.at;
  if (argument.structure_bytes) entry["structure_bytes"] = *argument.structure_bytes;
  if (const spec::TensorSpec* tensor = argument.tensor()) {
    entry.update({{"kind", "tensor"},
                  {"dtype", tensor->dtype.text()},
                  {"shape", texts(tensor->shape)},
                  {"strides", texts(tensor->strides)},
                  {"role", role_name(tensor->role)}});
  } else if (const spec::ScalarSpec* scalar = argument.scalar()) {
    entry.update({{"kind", "scalar"}, {"type", scalar->type.text()}, {"value", scalar->value.text()}});
  } else if (const spec::TensorMapSpec* map = argument.tensor_map()) {
    entry.update({{"kind", "tensor_map"},
                  {"of", map->of},
                  {"box", texts(map->box)},
                  {"element_strides", texts(map->element_strides)},
                  {"swizzle", map->swizzle},
                  {"interleave", map->interleave},
                  {"l2_promotion", map->l2_promotion},
                  {"out_of_bounds_nan", map->out_of_bounds_nan}});
    if (const auto& im2col = map->im2col)
      entry["im2col"] = {{"lower", texts(im2col->lower)},
                         {"upper", texts(im2col->upper)},
                         {"channels", im2col->channels.text()},
                         {"pixels", im2col->pixels.text()}};
  } else if (const spec::ViewSpec* view = argument.view()) {
    entry.update({{"kind", "view"}, {"of", view->of}});
    if (view->offset) entry["offset"] = view->offset->text();
  } else if (const spec::PointersSpec* pointers = argument.pointers()) {
    entry.update({{"kind", "pointers"}, {"of", pointers->of}});
    if (pointers->count) entry["count"] = pointers->count->text();
    if (pointers->count) entry["step"] = pointers->step ? pointers->step->text() : "0";
  } else if (const spec::TextureSpec* texture = argument.texture()) {
    entry.update({{"kind", "texture"},
                  {"of", texture->of},
                  {"surface", texture->surface},
                  {"channels", texture->channels},
                  {"layered", texture->layered},
                  {"cube", texture->cube},
                  {"memory", texture->memory},
                  {"linear", texture->linear},
                  {"normalised", texture->normalised},
                  {"fractions", texture->fractions},
                  {"address", texture->address},
                  {"border", texture->border},
                  {"srgb", texture->srgb},
                  {"mipmap", nullptr}});
    if (texture->mipmap)
      entry["mipmap"] = {{"levels", texture->mipmap->levels},
                         {"linear", texture->mipmap->linear},
                         {"bias", texture->mipmap->bias},
                         {"first", texture->mipmap->first_level},
                         {"last", texture->mipmap->last_level}};
  }
  return entry;
}

json stage_json(const spec::KernelSpec& spec, const spec::StageSpec& stage) {
  std::vector<std::string> arguments = stage.arguments;
  if (stage.all_arguments) {
    arguments.clear();
    for (const spec::ArgumentSpec& argument : spec.arguments) {
      if (argument.passed && argument.global.empty()) arguments.push_back(argument.name);
    }
  }
  const spec::LaunchSection& launch = stage.launch;
  json entry = {{"name", stage.name},
                {"entry", stage.entry.text()},
                {"arguments", arguments},
                {"grid", texts(launch.grid)},
                {"block", texts(launch.block)},
                {"cluster", texts(launch.cluster)},
                {"shared_bytes", launch.shared_bytes ? launch.shared_bytes->text() : "0"},
                {"cooperative", launch.cooperative},
                {"programmatic", launch.programmatic}};
  if (launch.priority) entry["priority"] = *launch.priority;
  if (launch.shared_carveout) entry["shared_carveout"] = *launch.shared_carveout;
  return entry;
}

bool tells(const spec::ArgumentSpec& argument, const std::string& dimension) {
  const spec::TensorSpec* tensor = argument.tensor();
  if (tensor == nullptr || !spec::is_filled(tensor->role)) return false;
  if (tensor->dtype.text() == "{" + dimension + "}") return true;
  return std::ranges::any_of(tensor->shape,
                             [&](const spec::Expression& size) { return trim(size.text()) == dimension; });
}

std::string python_value(const spec::Value& value) {
  if (value.is_boolean()) return value.boolean() ? "True" : "False";
  return value.is_dtype() ? "None" : to_string(value);
}

const char* annotation(spec::Value::Kind kind) {
  switch (kind) {
    case spec::Value::Kind::integer:
      return "int";
    case spec::Value::Kind::real:
      return "float";
    case spec::Value::Kind::boolean:
      return "bool";
    case spec::Value::Kind::word:
      return "str";
    case spec::Value::Kind::dtype:
      break;
  }
  return "Optional[torch.dtype]";
}

// A sentence of somebody else's in a string of Python.
std::string harmless(const std::string& text) {
  std::string kept;
  for (const char c : text) kept += c == '"' || c == '\\' || (c >= 0 && c < 0x20) || c == 0x7f ? ' ' : c;
  return kept;
}

}  // namespace

json to_json_value(const spec::Value& value) {
  switch (value.kind()) {
    case spec::Value::Kind::integer:
      return value.integer();
    case spec::Value::Kind::real:
      return value.real();
    case spec::Value::Kind::boolean:
      return value.boolean();
    case spec::Value::Kind::dtype:
    case spec::Value::Kind::word:
      break;
  }
  return to_string(value);
}

std::string TorchSignature::text() const {
  std::vector<std::string> parts;
  for (const std::string& name : given) parts.push_back(python_name(name));
  if (!settings.empty()) parts.push_back("*");
  for (const Setting& setting : settings)
    parts.push_back(setting.standard ? fmt::format("{}={}", python_name(setting.name), python_value(*setting.standard))
                                     : python_name(setting.name));
  return fmt::format("{}({})", function, join(parts, ", "));
}

Result<TorchSignature> torch_signature(const spec::KernelSpec& spec) {
  TorchSignature signature;
  signature.function = python_name(spec.kernel.name);
  for (const spec::ArgumentSpec& argument : spec.arguments) {
    const spec::TensorSpec* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    if (spec::is_filled(tensor->role)) signature.given.push_back(argument.name);
    if (tensor->role == spec::Role::inout) signature.written.push_back(argument.name);
    if (tensor->role == spec::Role::output) signature.returned.push_back(argument.name);
  }
  if (signature.given.empty())
    return Error{"no tensor is given to this kernel, so that nothing says on which GPU it runs",
                 Place{spec.file.string()}};
  for (const std::string& dimension : spec.shapes.dimensions) {
    const bool known =
        std::ranges::any_of(spec.arguments, [&](const auto& argument) { return tells(argument, dimension); });
    if (known) continue;
    const auto kind = spec.shapes.kinds.find(dimension);
    TorchSignature::Setting setting{dimension,
                                    kind != spec.shapes.kinds.end() ? kind->second : spec::Value::Kind::integer};
    if (const auto standard = spec.shapes.defaults.find(dimension); standard != spec.shapes.defaults.end())
      setting.standard = standard->second;
    else if (setting.kind == spec::Value::Kind::boolean)
      setting.standard = spec::Value(false);
    signature.settings.push_back(std::move(setting));
  }
  return signature;
}

json kernel_description(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  json document = {{"assay", kVersion}, {"name", spec.kernel.name}, {"description", spec.kernel.description}};
  document["configuration"] = json::object();
  for (const auto& [name, value] : configuration.values) document["configuration"][name] = to_json_value(value);
  document["dimensions"] = json::array();
  for (const std::string& name : spec.shapes.dimensions) {
    json dimension = {{"name", name}};
    const auto standard = spec.shapes.defaults.find(name);
    const auto kind = spec.shapes.kinds.find(name);
    if (standard != spec.shapes.defaults.end())
      dimension["default"] = to_json_value(standard->second);
    else if (kind != spec.shapes.kinds.end() && kind->second == spec::Value::Kind::boolean)
      dimension["default"] = false;
    document["dimensions"].push_back(std::move(dimension));
  }
  document["lets"] = json::array();
  for (const spec::Let& let : spec.lets) document["lets"].push_back({let.name, let.value.text()});
  document["constraints"] = texts(spec.shapes.constraints);
  for (const std::string& text : texts(spec.tunable.pair_constraints)) document["constraints"].push_back(text);
  document["arguments"] = json::array();
  for (const spec::ArgumentSpec& argument : spec.arguments) document["arguments"].push_back(argument_json(argument));
  document["stages"] = json::array();
  for (const spec::StageSpec& stage : spec.stages) document["stages"].push_back(stage_json(spec, stage));
  return document;
}

std::string package_text(const spec::KernelSpec& spec, const TorchSignature& signature, const std::string& package) {
  std::vector<std::string> typed, plain, given, settings, written;
  for (const std::string& name : signature.given) {
    typed.push_back(python_name(name) + ": torch.Tensor");
    plain.push_back(python_name(name));
    given.push_back(fmt::format("\"{}\": {}", name, python_name(name)));
  }
  if (!signature.settings.empty()) typed.emplace_back("*");
  if (!signature.settings.empty()) plain.emplace_back("*");
  for (const TorchSignature::Setting& each : signature.settings) {
    const std::string standard = each.kind == spec::Value::Kind::dtype ? " = None"
                                 : each.standard                       ? " = " + python_value(*each.standard)
                                                                       : "";
    typed.push_back(fmt::format("{}: {}{}", python_name(each.name), annotation(each.kind), standard));
    plain.push_back(python_name(each.name) + (standard.empty() ? "" : "=" + standard.substr(3)));
    settings.push_back(fmt::format("\"{}\": {}", each.name, python_name(each.name)));
  }
  for (const std::string& name : signature.written) written.push_back(fmt::format("\"{}\"", python_name(name)));
  const size_t returned = signature.returned.size();
  const std::string type = returned == 0 ? "None"
                           : returned == 1
                               ? "torch.Tensor"
                               : "Tuple[" + join(std::vector<std::string>(returned, "torch.Tensor"), ", ") + "]";
  const std::string arguments = fmt::format("{{{}}}, {{{}}}", join(given, ", "), join(settings, ", "));
  const auto body = [&](const char* function) {
    if (returned == 0) return fmt::format("    _kernel.{}({})\n", function, arguments);
    return returned == 1 ? fmt::format("    return _kernel.{}({})[0]\n", function, arguments)
                         : fmt::format("    return tuple(_kernel.{}({}))\n", function, arguments);
  };
  return fmt::format(
      "# SPDX-License-Identifier: MIT\n"
      "\"\"\"{0} as a PyTorch operator, exported by assay {1}. {2}\n\n"
      "The kernel lies in modules/ and is launched through the CUDA driver: nothing here depends on PyTorch's ABI.\n"
      "\"\"\"\n\n"
      "from typing import Optional, Tuple  # noqa: F401\n\n"
      "import torch\n\n"
      "from .call import load\n\n"
      "_kernel = load()\n\n\n"
      "@torch.library.custom_op(\"{3}::{4}\", mutates_args=({5}))\n"
      "def {4}({6}) -> {7}:\n{8}\n\n"
      "@{4}.register_fake\n"
      "def _({9}):\n{10}",
      harmless(spec.kernel.name), kVersion, harmless(spec.kernel.description), package, signature.function,
      written.empty() ? "" : join(written, ", ") + ",", join(typed, ", "), type, body("run"), join(plain, ", "),
      returned == 0 ? "    return None\n" : body("outputs"));
}

}  // namespace assay::work
