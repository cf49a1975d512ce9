// SPDX-License-Identifier: MIT
#include "measure/problem_case.hpp"

#include <nlohmann/json.hpp>

#include "check/element.hpp"
#include "spec/launch.hpp"

namespace assay::measure {
namespace {

using nlohmann::json;

std::string_view role_name(spec::Role role) {
  switch (role) {
    case spec::Role::input:
      return "input";
    case spec::Role::output:
      return "output";
    case spec::Role::scratch:
      return "scratch";
    case spec::Role::inout:
      break;
  }
  return "inout";
}

json to_json(const spec::Value& value) {
  if (value.is_integer()) return value.integer();
  if (value.is_real()) return value.real();
  if (value.is_boolean()) return value.boolean();
  return spec::name(value.dtype());
}

// Integers as they are: a double does not hold all of them.
json value_of(const spec::ResolvedScalar& scalar) {
  if (scalar.value.is_integer() && !scalar.is_bool) return scalar.value.integer();
  return check::decode_element(scalar.type, scalar.encoded.data());
}

// Tensor maps, views, arrays of pointers and scratch memory are a matter between a kernel and its launch: no other
// contender has use for them.
json arguments_of(const ProblemCase& problem) {
  json list = json::array();
  for (const spec::ResolvedArgument& argument : problem.arguments) {
    if (const spec::ResolvedTensor* tensor = argument.tensor()) {
      if (tensor->role == spec::Role::scratch) continue;
      list.push_back({{"name", argument.name},
                      {"role", role_name(tensor->role)},
                      {"dtype", spec::name(tensor->dtype)},
                      {"shape", tensor->dims},
                      {"strides", tensor->strides},
                      {"bytes", tensor->bytes}});
    } else if (const spec::ResolvedScalar* scalar = argument.scalar()) {
      list.push_back({{"name", argument.name},
                      {"role", "scalar"},
                      {"dtype", scalar->is_bool ? "bool" : spec::name(scalar->type)},
                      {"value", value_of(*scalar)}});
    }
  }
  return list;
}

}  // namespace

json to_json(const spec::Options& options) {
  json object = json::object();
  for (const auto& [name, option] : options) {
    std::visit([&object, &key = name](const auto& value) { object[key] = value; }, option);
  }
  return object;
}

Result<ProblemCase> ProblemCase::make(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                      const spec::Shape& shape) {
  ProblemCase problem{&spec, configuration, shape, {}, {}};
  ASSAY_TRY(problem.arguments, spec::resolve_arguments(spec, configuration, shape));
  ASSAY_TRY(problem.work.flops, spec::flops(spec, configuration, shape));
  ASSAY_TRY(problem.work.bytes, spec::bytes_moved(spec, configuration, shape));
  for (const spec::ResolvedArgument& argument : problem.arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    if (spec::is_result(tensor->role)) problem.work.output_bytes += static_cast<double>(tensor->bytes);
    if (spec::size_bytes(tensor->dtype) == 1) problem.work.eight_bit = true;
  }
  return problem;
}

std::vector<const spec::ResolvedArgument*> ProblemCase::inputs() const {
  std::vector<const spec::ResolvedArgument*> list;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.tensor() != nullptr && spec::is_filled(argument.tensor()->role)) list.push_back(&argument);
  }
  return list;
}

std::vector<const spec::ResolvedArgument*> ProblemCase::outputs() const {
  std::vector<const spec::ResolvedArgument*> list;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.tensor() != nullptr && spec::is_result(argument.tensor()->role)) list.push_back(&argument);
  }
  return list;
}

uint64_t ProblemCase::bytes() const {
  uint64_t sum = 0;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (const spec::ResolvedTensor* tensor = argument.tensor()) sum += static_cast<uint64_t>(tensor->bytes);
  }
  return sum;
}

json prepare_request(const ProblemCase& problem, const Protocol& protocol, const TimingFiles& timing) {
  json dims = json::object();
  for (const auto& [name, value] : problem.shape.values) dims[name] = to_json(value);
  const Gate gate = gate_for(protocol);
  return {
      {"problem",
       {{"reference", problem.spec->problem.reference}, {"options", to_json(problem.spec->problem.options)}}},
      {"dims", dims},
      {"shape", problem.shape.text()},
      {"arguments", arguments_of(problem)},
      {"timing",
       {{"protocol", name(protocol.launch)},
        {"cache", name(protocol.cache == Cache::cold ? Cache::cold : Cache::warm)},
        {"flush_bytes", protocol.cache == Cache::cold ? timing.flush_bytes : 0},
        {"calls", protocol.calls},
        {"gate",
         {{"cycles", gate.cycles}, {"growth", gate.growth}, {"most_cycles", gate.most_cycles}, {"calls", gate.calls}}},
        {"warm_up_calls", protocol.warm_up_calls},
        {"delay_cycles", protocol.delay_cycles},
        {"placement", protocol.placement},
        {"instruments", timing.instruments.string()}}}};
}

}  // namespace assay::measure
