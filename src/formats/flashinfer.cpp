// SPDX-License-Identifier: MIT
#include "formats/flashinfer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::formats {
namespace {

// Members of the other dialect are as unknown as any.
bool sol(TraceDialect dialect) {
  return dialect == TraceDialect::sol;
}

Result<std::pair<std::string, TraceAxis>> read_axis(const std::string& name, const ordered_json& json,
                                                    TraceDialect dialect, const std::string& file,
                                                    std::vector<Lost>& lost) {
  Fields fields(json, file, "axes." + name);
  TraceAxis axis;
  const std::string type = fields.text("type");
  axis.description = fields.maybe_text("description");
  if (type == "const") {
    axis.kind = TraceAxis::Kind::constant;
    const auto value = fields.maybe_integer("value");
    ASSAY_CHECK(fields.check());
    if (!value) return Error{fmt::format("the constant axis '{}' has no value", name), Place{file}};
    axis.value = *value;
  } else if (type == "expr" && sol(dialect)) {
    axis.kind = TraceAxis::Kind::expression;
    axis.expression = fields.text("expression");
  } else if (type != "var") {
    ASSAY_CHECK(fields.check());
    return Error{fmt::format("the axis '{}' has the type '{}'; expected const or var{}", name, type,
                             sol(dialect) ? " or expr" : ""),
                 Place{file}};
  }
  ASSAY_CHECK(fields.check());
  fields.leave_rest(lost);
  return std::pair{name, std::move(axis)};
}

Result<std::vector<std::pair<std::string, TraceTensor>>> read_tensors(const ordered_json* json, const char* member,
                                                                      const std::string& file,
                                                                      std::vector<Lost>& lost) {
  std::vector<std::pair<std::string, TraceTensor>> tensors;
  if (json == nullptr) return Error{fmt::format("there is no '{}'", member), Place{file}};
  for (const auto& [name, entry] : json->items()) {
    Fields fields(entry, file, std::string(member) + "." + name);
    TraceTensor tensor;
    tensor.dtype = fields.text("dtype");
    tensor.description = fields.maybe_text("description");
    if (const ordered_json* const shape = fields.any("shape"); shape != nullptr && shape->is_array()) {
      tensor.shape.emplace();
      for (const ordered_json& each : *shape) {  // names of axes; a number stands for itself
        if (each.is_string()) {
          tensor.shape->push_back(each.get<std::string>());
        } else if (each.is_number_integer()) {
          tensor.shape->push_back(each.dump());
        } else {
          return Error{fmt::format("'{}.{}.shape' is not a list of names", member, name), Place{file}};
        }
      }
    } else if (shape != nullptr && !shape->is_null()) {
      return Error{fmt::format("'{}.{}.shape' is neither a list nor null", member, name), Place{file}};
    }
    ASSAY_CHECK(fields.check());
    fields.leave_rest(lost);
    tensors.emplace_back(name, std::move(tensor));
  }
  return tensors;
}

std::optional<std::vector<std::string>> maybe_texts(Fields& fields, const char* name) {
  const bool there = fields.has(name) && fields.any(name)->is_array();
  std::vector<std::string> list = fields.texts(name);
  return there ? std::optional(std::move(list)) : std::nullopt;
}

template <class T>
void put(ordered_json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

Result<TraceTolerance> read_tolerance(const ordered_json& json, const std::string& file, std::vector<Lost>& lost) {
  Fields fields(json, file, "tolerance");
  TraceTolerance tolerance;
  tolerance.max_atol = fields.maybe_number("max_atol");
  tolerance.max_rtol = fields.maybe_number("max_rtol");
  tolerance.required_matched_ratio = fields.maybe_number("required_matched_ratio");
  tolerance.max_error_cap = fields.maybe_number("max_error_cap");
  tolerance.allow_negative_inf = fields.maybe_truth("allow_negative_inf");
  ASSAY_CHECK(fields.check());
  fields.leave_rest(lost);
  return tolerance;
}

Result<TraceEvaluation> read_evaluation(const ordered_json& json, TraceDialect dialect, const std::string& file,
                                        std::vector<Lost>& lost) {
  Fields fields(json, file, "evaluation");
  TraceEvaluation evaluation;
  evaluation.status = fields.text("status");
  evaluation.timestamp = fields.maybe_text("timestamp").value_or("");
  evaluation.log = fields.maybe_text("log").value_or("");
  if (const ordered_json* const environment = fields.maybe_object("environment")) {
    Fields inner(*environment, file, "evaluation.environment");
    evaluation.hardware = inner.maybe_text("hardware").value_or("");
    if (const ordered_json* const libs = inner.maybe_object("libs")) {
      for (const auto& [name, version] : libs->items()) {
        if (!version.is_string()) return Error{fmt::format("the version of '{}' is not a string", name), Place{file}};
        evaluation.libs[name] = version.get<std::string>();
      }
    }
    ASSAY_CHECK(inner.check());
    inner.leave_rest(lost);
  }
  if (const ordered_json* const correctness = fields.maybe_object("correctness")) {
    Fields inner(*correctness, file, "evaluation.correctness");
    evaluation.max_relative_error = inner.maybe_number("max_relative_error");
    evaluation.max_absolute_error = inner.maybe_number("max_absolute_error");
    if (const ordered_json* const extra = inner.any("extra")) evaluation.extra = *extra;
    if (sol(dialect)) evaluation.has_nan = inner.maybe_truth("has_nan");
    if (sol(dialect)) evaluation.has_inf = inner.maybe_truth("has_inf");
    ASSAY_CHECK(inner.check());
    inner.leave_rest(lost);
  }
  if (const ordered_json* const performance = fields.maybe_object("performance")) {
    Fields inner(*performance, file, "evaluation.performance");
    evaluation.latency_ms = inner.maybe_number("latency_ms");
    evaluation.reference_latency_ms = inner.maybe_number("reference_latency_ms");
    evaluation.speedup_factor = inner.maybe_number("speedup_factor");
    ASSAY_CHECK(inner.check());
    inner.leave_rest(lost);
  }
  ASSAY_CHECK(fields.check());
  fields.leave_rest(lost);
  return evaluation;
}

}  // namespace

Result<TraceDefinition> read_definition(const ordered_json& json, TraceDialect dialect, const std::string& file,
                                        std::vector<Lost>& lost) {
  Fields fields(json, file);
  TraceDefinition definition;
  definition.name = fields.text("name");
  definition.op_type = fields.maybe_text("op_type").value_or("");
  definition.reference = fields.maybe_text("reference").value_or("");
  definition.constraints = maybe_texts(fields, "constraints");
  definition.tags = maybe_texts(fields, "tags");
  definition.description = fields.maybe_text("description");
  if (sol(dialect)) definition.custom_inputs_entrypoint = fields.maybe_text("custom_inputs_entrypoint");
  if (sol(dialect)) definition.hf_id = fields.maybe_text("hf_id");
  const ordered_json* const axes = fields.maybe_object("axes");
  const ordered_json* const inputs = fields.maybe_object("inputs");
  const ordered_json* const outputs = fields.maybe_object("outputs");
  ASSAY_CHECK(fields.check());
  if (axes == nullptr) return Error{"there is no 'axes'", Place{file}};
  for (const auto& [name, entry] : axes->items()) {
    ASSAY_TRY(auto axis, read_axis(name, entry, dialect, file, lost));
    definition.axes.push_back(std::move(axis));
  }
  ASSAY_TRY(definition.inputs, read_tensors(inputs, "inputs", file, lost));
  ASSAY_TRY(definition.outputs, read_tensors(outputs, "outputs", file, lost));
  fields.leave_rest(lost);
  return definition;
}

Result<TraceWorkload> read_workload(const ordered_json& json, TraceDialect dialect, const std::string& file,
                                    std::vector<Lost>& lost) {
  Fields fields(json, file);
  TraceWorkload workload;
  workload.uuid = fields.text("uuid");
  const ordered_json* const axes = fields.maybe_object("axes");
  const ordered_json* const inputs = fields.maybe_object("inputs");
  const ordered_json* const tolerance = sol(dialect) ? fields.maybe_object("tolerance") : nullptr;
  ASSAY_CHECK(fields.check());
  if (axes != nullptr) {
    Fields inner(*axes, file, "axes");
    for (const auto& [name, value] : axes->items())
      workload.axes.emplace_back(name, inner.maybe_integer(name.c_str()).value_or(0));
    ASSAY_CHECK(inner.check());
  }
  if (inputs != nullptr) {
    for (const auto& [name, entry] : inputs->items()) {
      Fields inner(entry, file, "inputs." + name);
      TraceInput input;
      input.type = inner.text("type");
      if (const ordered_json* const value = inner.any("value")) input.value = *value;
      input.path = inner.maybe_text("path");
      input.tensor_key = inner.maybe_text("tensor_key");
      ASSAY_CHECK(inner.check());
      inner.leave_rest(lost);
      workload.inputs.emplace_back(name, std::move(input));
    }
  }
  if (tolerance != nullptr) {
    ASSAY_TRY(workload.tolerance, read_tolerance(*tolerance, file, lost));
  }
  fields.leave_rest(lost);
  return workload;
}

Result<TraceSolution> read_solution(const ordered_json& json, const std::string& file, std::vector<Lost>& lost) {
  Fields fields(json, file);
  TraceSolution solution;
  solution.name = fields.text("name");
  solution.definition = fields.text("definition");
  solution.author = fields.maybe_text("author").value_or("");
  solution.description = fields.maybe_text("description");
  if (const ordered_json* const spec = fields.maybe_object("spec")) solution.spec = *spec;
  const ordered_json* const sources = fields.maybe_list("sources");
  ASSAY_CHECK(fields.check());
  if (sources != nullptr) {
    for (const ordered_json& entry : *sources) {
      Fields inner(entry, file, "sources");
      solution.sources.push_back({inner.text("path"), inner.text("content")});
      ASSAY_CHECK(inner.check());
      inner.leave_rest(lost);
    }
  }
  fields.leave_rest(lost);
  return solution;
}

Result<Trace> read_trace(const ordered_json& json, TraceDialect dialect, const std::string& file,
                         std::vector<Lost>& lost) {
  Fields fields(json, file);
  Trace trace;
  trace.definition = fields.text("definition");
  trace.solution = fields.maybe_text("solution");
  const ordered_json* const workload = fields.maybe_object("workload");
  const ordered_json* const evaluation = fields.maybe_object("evaluation");
  ASSAY_CHECK(fields.check());
  if (workload == nullptr) return Error{"a trace has no 'workload'", Place{file}};
  ASSAY_TRY(trace.workload, read_workload(*workload, dialect, file, lost));
  if (evaluation != nullptr) {
    ASSAY_TRY(trace.evaluation, read_evaluation(*evaluation, dialect, file, lost));
  }
  fields.leave_rest(lost);
  return trace;
}

ordered_json to_json(const TraceDefinition& definition) {
  ordered_json json;
  json["name"] = definition.name;
  json["op_type"] = definition.op_type;
  put(json, "description", definition.description);
  put(json, "tags", definition.tags);
  put(json, "hf_id", definition.hf_id);
  ordered_json& axes = json["axes"] = ordered_json::object();
  for (const auto& [name, axis] : definition.axes) {
    ordered_json entry;
    switch (axis.kind) {
      case TraceAxis::Kind::constant:
        entry = {{"type", "const"}, {"value", axis.value}};
        break;
      case TraceAxis::Kind::variable:
        entry = {{"type", "var"}};
        break;
      case TraceAxis::Kind::expression:
        entry = {{"type", "expr"}, {"expression", axis.expression}};
        break;
    }
    put(entry, "description", axis.description);
    axes[name] = std::move(entry);
  }
  put(json, "constraints", definition.constraints);
  for (const auto& [member, tensors] :
       {std::pair{"inputs", &definition.inputs}, std::pair{"outputs", &definition.outputs}}) {
    ordered_json& list = json[member] = ordered_json::object();
    for (const auto& [name, tensor] : *tensors) {
      ordered_json entry;
      entry["shape"] = nullptr;
      if (tensor.shape) {
        entry["shape"] = ordered_json::array();
        for (const std::string& each : *tensor.shape) {
          const bool number = each.find_first_not_of("0123456789") == std::string::npos && each.size() < 19;
          entry["shape"].push_back(number && !each.empty() ? ordered_json(std::stoll(each)) : ordered_json(each));
        }
      }
      entry["dtype"] = tensor.dtype;
      put(entry, "description", tensor.description);
      list[name] = std::move(entry);
    }
  }
  json["reference"] = definition.reference;
  put(json, "custom_inputs_entrypoint", definition.custom_inputs_entrypoint);
  return json;
}

ordered_json to_json(const TraceWorkload& workload) {
  ordered_json json;
  json["uuid"] = workload.uuid;
  ordered_json& axes = json["axes"] = ordered_json::object();
  for (const auto& [name, value] : workload.axes) axes[name] = value;
  ordered_json& inputs = json["inputs"] = ordered_json::object();
  for (const auto& [name, input] : workload.inputs) {
    ordered_json entry = {{"type", input.type}};
    if (!input.value.is_null()) entry["value"] = input.value;
    put(entry, "path", input.path);
    put(entry, "tensor_key", input.tensor_key);
    inputs[name] = std::move(entry);
  }
  if (workload.tolerance) {
    ordered_json& tolerance = json["tolerance"] = ordered_json::object();
    put(tolerance, "max_atol", workload.tolerance->max_atol);
    put(tolerance, "max_rtol", workload.tolerance->max_rtol);
    put(tolerance, "required_matched_ratio", workload.tolerance->required_matched_ratio);
    put(tolerance, "max_error_cap", workload.tolerance->max_error_cap);
    put(tolerance, "allow_negative_inf", workload.tolerance->allow_negative_inf);
  }
  return json;
}

ordered_json to_json(const TraceSolution& solution) {
  ordered_json json;
  json["name"] = solution.name;
  json["definition"] = solution.definition;
  json["author"] = solution.author;
  json["spec"] = solution.spec;
  ordered_json& sources = json["sources"] = ordered_json::array();
  for (const TextFile& file : solution.sources) sources.push_back({{"path", file.path}, {"content", file.content}});
  put(json, "description", solution.description);
  return json;
}

ordered_json to_json(const Trace& trace) {
  ordered_json json;
  json["definition"] = trace.definition;
  json["workload"] = to_json(trace.workload);
  put(json, "solution", trace.solution);
  if (!trace.evaluation) return json;
  const TraceEvaluation& evaluation = *trace.evaluation;
  ordered_json& out = json["evaluation"] = ordered_json::object();
  out["status"] = evaluation.status;
  out["environment"] = {{"hardware", evaluation.hardware}, {"libs", evaluation.libs}};
  out["timestamp"] = evaluation.timestamp;
  out["log"] = evaluation.log;
  if (evaluation.max_relative_error || evaluation.max_absolute_error || evaluation.has_nan || evaluation.has_inf ||
      !evaluation.extra.is_null()) {
    ordered_json& correctness = out["correctness"] = ordered_json::object();
    put(correctness, "max_relative_error", evaluation.max_relative_error);
    put(correctness, "max_absolute_error", evaluation.max_absolute_error);
    put(correctness, "has_nan", evaluation.has_nan);
    put(correctness, "has_inf", evaluation.has_inf);
    if (!evaluation.extra.is_null()) correctness["extra"] = evaluation.extra;
  }
  if (evaluation.latency_ms || evaluation.reference_latency_ms || evaluation.speedup_factor) {
    ordered_json& performance = out["performance"] = ordered_json::object();
    put(performance, "latency_ms", evaluation.latency_ms);
    put(performance, "reference_latency_ms", evaluation.reference_latency_ms);
    put(performance, "speedup_factor", evaluation.speedup_factor);
  }
  return json;
}

Result<TraceSet> read_trace_set(const TextFiles& files, TraceDialect dialect) {
  TraceSet set;
  const auto take = [&](const ordered_json& json, const std::string& file) -> Result<bool> {
    if (!json.is_object()) return false;
    if (json.contains("definition") && json.contains("workload")) {
      ASSAY_TRY(Trace trace, read_trace(json, dialect, file, set.lost));
      set.traces.push_back(std::move(trace));
    } else if (json.contains("sources") && json.contains("definition")) {
      ASSAY_TRY(TraceSolution solution, read_solution(json, file, set.lost));
      set.solutions.push_back(std::move(solution));
    } else if (json.contains("axes") && json.contains("outputs")) {
      ASSAY_TRY(TraceDefinition definition, read_definition(json, dialect, file, set.lost));
      set.definitions.emplace_back(file, std::move(definition));
    } else if (json.contains("uuid") && json.contains("axes")) {
      ASSAY_TRY(TraceWorkload workload, read_workload(json, dialect, file, set.lost));
      set.workloads.emplace_back(file, std::move(workload));
    } else {
      return false;
    }
    return true;
  };
  for (const TextFile& file : files) {
    const bool lines = file.path.ends_with(".jsonl") || file.path.ends_with(".jsonl.gz");
    const bool json = file.path.ends_with(".json") || file.path.ends_with(".json.gz");
    if (!lines && !json && files.size() > 1) continue;
    bool taken = false;
    if (lines) {
      int number = 0;
      for (const std::string_view line : split(file.content, '\n')) {
        ++number;
        if (trim(line).empty()) continue;
        const std::string name = fmt::format("{}:{}", file.path, number);
        ASSAY_TRY(const ordered_json value, parse_ordered(line, name));
        ASSAY_TRY(const bool one, take(value, name));
        taken = taken || one;
        if (!one) set.lost.push_back({name, "neither definition, workload, solution nor trace"});
      }
      continue;
    }
    ASSAY_TRY(const ordered_json value, parse_ordered(file.content, file.path));
    ASSAY_TRY(taken, take(value, file.path));
    if (!taken && value.is_array()) {  // a list of objects
      for (const ordered_json& each : value) {
        ASSAY_TRY(const bool one, take(each, file.path));
        taken = taken || one;
        if (!one) set.lost.push_back({file.path, "an entry is neither definition, workload, solution nor trace"});
      }
    }
    if (!taken) set.lost.push_back({file.path, "neither definition, workload, solution nor trace"});
  }
  if (set.definitions.empty() && set.workloads.empty() && set.solutions.empty() && set.traces.empty())
    return Error{"there is neither a definition, a workload, a solution nor a trace in it",
                 Place{files.size() == 1 ? files.front().path : ""}, "docs/formats.md says what they look like"};
  return set;
}

Result<Imported> read_flashinfer(const TextFiles& files) {
  ASSAY_TRY(const TraceSet set, read_trace_set(files, TraceDialect::flashinfer));
  return to_imported(set, TraceDialect::flashinfer);
}

}  // namespace assay::formats
