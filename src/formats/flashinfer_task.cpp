// SPDX-License-Identifier: MIT
// Traces as tasks and results, and results as traces.
#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "formats/flashinfer.hpp"
#include "formats/python_expression.hpp"

namespace assay::formats {
namespace {

constexpr std::array kFlashinferTypes = {
    std::pair{"float64", "f64"},   std::pair{"float32", "f32"},        std::pair{"float16", "f16"},
    std::pair{"bfloat16", "bf16"}, std::pair{"float8_e4m3fn", "e4m3"}, std::pair{"float8_e5m2", "e5m2"},
    std::pair{"int64", "i64"},     std::pair{"int32", "i32"},          std::pair{"int16", "i16"},
    std::pair{"int8", "i8"},       std::pair{"uint8", "u8"},           std::pair{"uint16", "u16"},
    std::pair{"uint32", "u32"},    std::pair{"uint64", "u64"},         std::pair{"bool", "bool"},
};

struct StatusName {
  const char* text;
  Status status;
  bool sol_only;
};
constexpr std::array kStatus = {
    StatusName{"PASSED", Status::passed, false},
    StatusName{"INCORRECT_NUMERICAL", Status::incorrect, false},
    StatusName{"INCORRECT_SHAPE", Status::incorrect, false},
    StatusName{"INCORRECT_DTYPE", Status::incorrect, false},
    StatusName{"RUNTIME_ERROR", Status::runtime_error, false},
    StatusName{"COMPILE_ERROR", Status::compile_error, false},
    StatusName{"TIMEOUT", Status::timeout, false},
    StatusName{"INVALID_REFERENCE", Status::skipped, true},
    StatusName{"REWARD_HACK", Status::cheating, true},
};

const char* format_of(TraceDialect dialect) {
  return dialect == TraceDialect::sol ? "solexec" : "flashinfer";
}

std::string parent_of(const std::string& path) {
  const size_t at = path.rfind('/');
  return at == std::string::npos ? "" : path.substr(0, at);
}
// "workloads/gemm/row_sum.jsonl:3" -> "row_sum"
std::string stem_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

class TaskMaker {
 public:
  TaskMaker(const std::string& file, const TraceDefinition& definition) : file_(file), definition_(definition) {}

  Task make(const std::vector<const TraceWorkload*>& workloads, const std::vector<const TraceSolution*>& solutions) {
    task_.name = definition_.name;
    task_.description = definition_.description.value_or("");
    task_.operation = definition_.op_type;
    for (const auto& [name, axis] : definition_.axes) take_axis(name, axis);
    for (const std::string& text : definition_.constraints.value_or(std::vector<std::string>())) {
      const auto expression = python_to_expression(text);
      if (expression) {
        task_.constraints.push_back(*expression);
      } else {
        lose("constraints", fmt::format("'{}': {}", text, expression.error().message));
      }
    }
    for (const auto& [name, tensor] : definition_.inputs) take_tensor(name, tensor, false);
    for (const auto& [name, tensor] : definition_.outputs) take_tensor(name, tensor, true);
    take_workloads(workloads);
    if (!definition_.reference.empty()) {
      task_.style = ReferenceStyle::run;
      task_.reference = "definition.py";
      task_.files.push_back({"definition.py", definition_.reference});
    }
    if (definition_.tags && !definition_.tags->empty())
      lose("tags", fmt::format("kernel.toml has no tags: {}", join(*definition_.tags, ", ")));
    if (definition_.hf_id) lose("hf_id", fmt::format("kernel.toml has no place for '{}'", *definition_.hf_id));
    if (definition_.custom_inputs_entrypoint)
      lose("custom_inputs_entrypoint", fmt::format("write fill = {{ kind = \"function\", ... }} that calls '{}'",
                                                   *definition_.custom_inputs_entrypoint));
    for (const TraceSolution* solution : solutions) take_solution(*solution);
    return std::move(task_);
  }

 private:
  void lose(const std::string& member, const std::string& why) { task_.lost.push_back({file_ + ": " + member, why}); }

  void take_axis(const std::string& name, const TraceAxis& axis) {
    if (axis.description) lose("axes." + name, "kernel.toml has no description of a dimension");
    if (axis.kind == TraceAxis::Kind::constant) task_.constants.emplace_back(name, axis.value);
    if (axis.kind != TraceAxis::Kind::expression) return;
    const auto expression = python_to_expression(axis.expression);
    if (expression) {
      task_.derived.emplace_back(name, *expression);
    } else {
      lose("axes." + name, fmt::format("'{}': {}", axis.expression, expression.error().message));
    }
  }

  void take_tensor(const std::string& name, const TraceTensor& tensor, bool output) {
    TaskTensor own;
    own.name = name;
    own.dtype = dtype_from_trace(tensor.dtype);
    own.output = output;
    const std::string where = (output ? "outputs." : "inputs.") + name;
    if (own.dtype.empty()) lose(where, fmt::format("there is no dtype like '{}'", tensor.dtype));
    if (tensor.description) lose(where, "kernel.toml has no description of an argument");
    own.scalar = !tensor.shape && !output;
    if (tensor.shape) own.shape = *tensor.shape;
    if (tensor.shape && tensor.shape->empty()) lose(where, "a tensor of no dimensions has become one of one element");
    if (!tensor.shape && output) lose(where, "a scalar output has become a tensor of one element");
    if (!own.scalar && own.shape.empty()) own.shape = {"1"};
    task_.tensors.push_back(std::move(own));
  }

  void take_workloads(const std::vector<const TraceWorkload*>& workloads) {
    std::set<std::string> said;
    const auto once = [&](const std::string& member, const std::string& why) {
      if (said.insert(member + why).second) lose(member, why);
    };
    std::map<std::string, std::set<std::string>> values;  // of scalars, by name
    std::set<std::pair<double, double>> tolerances;
    for (const TraceWorkload* workload : workloads) {
      task_.measured.push_back({workload->uuid, workload->axes});
      for (const auto& [name, input] : workload->inputs) {
        if (input.type == "scalar") {
          values[name].insert(input.value.dump());
        } else if (input.type == "random") {
          once("inputs." + name, "'random' does not say of which distribution; kernel.toml's is normal");
        } else {
          once("inputs." + name, fmt::format("contents of type '{}' ({}) are not taken along: write fill = {{ kind = "
                                             "\"file\" or \"function\" }}",
                                             input.type, input.path.value_or("no path")));
        }
      }
      if (workload->tolerance) {
        const TraceTolerance& tolerance = *workload->tolerance;
        tolerances.emplace(tolerance.max_atol.value_or(-1), tolerance.max_rtol.value_or(-1));
        if (tolerance.required_matched_ratio)
          once("tolerance.required_matched_ratio", "here every element must lie within the tolerance");
        if (tolerance.max_error_cap) once("tolerance.max_error_cap", "kernel.toml has no cap on errors");
        if (tolerance.allow_negative_inf)
          once("tolerance.allow_negative_inf", "kernel.toml says it for the reference: options = { nonfinite = true }");
      }
    }
    for (TaskTensor& tensor : task_.tensors) {
      const auto found = values.find(tensor.name);
      if (!tensor.scalar || found == values.end()) continue;
      if (found->second.size() == 1) tensor.value = *found->second.begin();
      if (found->second.size() > 1)
        lose("inputs." + tensor.name, "its value differs between workloads; a scalar of kernel.toml is an expression");
    }
    if (tolerances.size() == 1) {
      if (tolerances.begin()->first >= 0) task_.atol = tolerances.begin()->first;
      if (tolerances.begin()->second >= 0) task_.rtol = tolerances.begin()->second;
    } else if (tolerances.size() > 1) {
      lose("tolerance", "it differs between workloads; kernel.toml has one");
    }
  }

  void take_solution(const TraceSolution& solution) {
    for (const TextFile& source : solution.sources)
      task_.files.push_back({"solutions/" + solution.name + "/" + source.path, source.content});
    lose("solution " + solution.name,
         "its sources are kept in solutions/; its entry point is a function of the host, not a kernel");
  }

  std::string file_;
  const TraceDefinition& definition_;
  Task task_;
};

Statistics mean_of(const std::optional<double>& milliseconds) {
  Statistics statistics;
  if (milliseconds && *milliseconds > 0) statistics.mean = *milliseconds * 1000;
  return statistics;
}

std::optional<ForeignResult> result_of(const Trace& trace, TraceDialect dialect, std::vector<Lost>& lost) {
  if (!trace.evaluation) return std::nullopt;
  const TraceEvaluation& evaluation = *trace.evaluation;
  ForeignResult result;
  result.task = trace.definition;
  result.contender = trace.solution.value_or("");
  result.shape = to_text(trace.workload.axes);
  result.device = evaluation.hardware;
  result.versions = evaluation.libs;
  result.when = evaluation.timestamp;
  result.protocol = std::string(format_of(dialect)) + " mean";
  const auto known = std::ranges::find_if(kStatus, [&](const StatusName& each) {
    return evaluation.status == each.text && (!each.sol_only || dialect == TraceDialect::sol);
  });
  if (known == kStatus.end()) {
    lost.push_back({trace.workload.uuid + ": evaluation.status", fmt::format("'{}' is not known", evaluation.status)});
    return std::nullopt;
  }
  result.status = known->status;
  result.message = evaluation.status == "PASSED" ? "" : evaluation.status;
  result.time = mean_of(evaluation.latency_ms);
  result.baseline = mean_of(evaluation.reference_latency_ms);
  if (result.baseline.any()) result.baseline_name = "reference";
  if (evaluation.max_absolute_error) result.other["max_absolute_error"] = *evaluation.max_absolute_error;
  if (evaluation.max_relative_error) result.other["max_relative_error"] = *evaluation.max_relative_error;
  if (evaluation.speedup_factor) result.other["speedup_factor"] = *evaluation.speedup_factor;
  result.record = to_json(trace);
  result.record_format = format_of(dialect);
  return result;
}

// Definitions by what their workloads can name them by.
const std::pair<std::string, TraceDefinition>* definition_of(const TraceSet& set, const std::string& file) {
  if (set.definitions.size() == 1) return &set.definitions.front();
  const std::pair<std::string, TraceDefinition>* beside = nullptr;
  size_t count = 0;
  for (const auto& each : set.definitions) {
    if (each.second.name == stem_of(file)) return &each;
    if (parent_of(each.first) != parent_of(file)) continue;
    beside = &each;
    ++count;
  }
  return count == 1 ? beside : nullptr;
}

}  // namespace

std::string dtype_from_trace(const std::string& dtype) {
  const auto found = std::ranges::find_if(kFlashinferTypes, [&](const auto& each) { return dtype == each.first; });
  return found == kFlashinferTypes.end() ? "" : found->second;
}

Imported to_imported(const TraceSet& set, TraceDialect dialect) {
  Imported imported;
  imported.format = format_of(dialect);
  imported.lost = set.lost;
  std::map<std::string, std::vector<const TraceWorkload*>> workloads;
  for (const auto& [file, workload] : set.workloads) {
    const auto* const definition = definition_of(set, file);
    if (definition != nullptr) {
      workloads[definition->second.name].push_back(&workload);
    } else {
      imported.lost.push_back({file, "a workload of a definition that is not here"});
    }
  }
  std::set<std::string> known;
  for (const auto& [file, definition] : set.definitions) known.insert(definition.name);
  for (const Trace& trace : set.traces) {
    if (auto result = result_of(trace, dialect, imported.lost)) imported.results.push_back(std::move(*result));
    if (trace.evaluation) continue;
    if (known.contains(trace.definition)) {
      workloads[trace.definition].push_back(&trace.workload);
    } else {
      imported.lost.push_back(
          {trace.workload.uuid, fmt::format("a workload of '{}', which is not here", trace.definition)});
    }
  }
  for (const auto& [file, definition] : set.definitions) {
    std::vector<const TraceSolution*> solutions;
    for (const TraceSolution& solution : set.solutions) {
      if (solution.definition == definition.name) solutions.push_back(&solution);
    }
    imported.tasks.push_back(TaskMaker(file, definition).make(workloads[definition.name], solutions));
  }
  for (const TraceSolution& solution : set.solutions) {
    if (!known.contains(solution.definition))
      imported.lost.push_back(
          {solution.name, fmt::format("a solution of '{}', which is not here", solution.definition)});
  }
  return imported;
}

Written write_traces(const std::vector<ForeignResult>& results, TraceDialect dialect) {
  Written written;
  for (const ForeignResult& result : results) {
    if (result.record_format == format_of(dialect) && result.record.is_object()) {
      written.text += result.record.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
      continue;
    }
    const std::string where = result.task + " " + result.shape;
    const auto known = std::ranges::find_if(kStatus, [&](const StatusName& each) {
      return each.status == result.status && (!each.sol_only || dialect == TraceDialect::sol);
    });
    if (known == kStatus.end() || result.status == Status::skipped) {
      written.lost.push_back(
          {where, fmt::format("the format has no status for '{}': not written", name(result.status))});
      continue;
    }
    Trace trace;
    trace.definition = result.task;
    trace.solution = result.contender;
    for (const auto& [axis, text] : named_values(result.shape)) {
      int64_t value = 0;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (problem == std::errc() && end == text.data() + text.size()) {
        trace.workload.axes.emplace_back(axis, value);
      } else {
        written.lost.push_back({where, fmt::format("an axis is a whole number, and {} is '{}'", axis, text)});
      }
    }
    trace.workload.uuid = content_hash(result.task + " " + result.shape);
    TraceEvaluation evaluation;
    evaluation.status = known->text;
    evaluation.hardware = result.device;
    evaluation.libs = result.versions;
    evaluation.timestamp = result.when;
    evaluation.log = fmt::format("{}{}", result.protocol, result.message.empty() ? "" : "; " + result.message);
    if (!result.configuration.empty()) evaluation.log += "; configuration " + result.configuration;
    if (result.time.median)
      evaluation.log +=
          fmt::format("; median {:.6g} us of {} samples", *result.time.median, result.time.count.value_or(0));
    const auto error = [&](const char* figure) -> std::optional<double> {
      const auto found = result.other.find(figure);
      return found == result.other.end() ? std::nullopt : std::optional(found->second);
    };
    if (result.status == Status::passed || evaluation.status == "INCORRECT_NUMERICAL") {
      evaluation.max_absolute_error = error("max_absolute_error");
      evaluation.max_relative_error = error("max_relative_error");
    }
    if (result.status == Status::passed && result.time.mean) {
      evaluation.latency_ms = *result.time.mean / 1000;
      if (result.baseline.mean) {
        evaluation.reference_latency_ms = *result.baseline.mean / 1000;
        evaluation.speedup_factor = *result.baseline.mean / *result.time.mean;
      }
    }
    if (result.status == Status::passed && !result.time.mean && result.time.any())
      written.lost.push_back({where, "the format holds a mean, and there is none"});
    if (!result.time.samples.empty())
      written.lost.push_back({where, "the samples: the format holds one mean; the median stands in the log"});
    trace.evaluation = std::move(evaluation);
    written.text += to_json(trace).dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }
  return written;
}

}  // namespace assay::formats
