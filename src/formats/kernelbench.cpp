// SPDX-License-Identifier: MIT
#include "formats/kernelbench.hpp"

#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "formats/fields.hpp"
#include "formats/torch_inputs.hpp"

namespace assay::formats {
namespace {

constexpr const char* kKernelbenchFormat = "kernelbench";
constexpr double kMilliseconds = 1000;  // a time of theirs in microseconds

std::string stem(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".py") ? name.substr(0, name.size() - 3) : name;
}

// Names that occur in the shapes become dimensions, with the values that the module gives them.
void take_dimensions(const PythonModule::Returned& returned, Task& task) {
  std::set<std::string> used;
  for (const TaskTensor& tensor : task.tensors) {
    for (const std::string& expression : tensor.shape) {
      std::string word;
      for (const char c : expression + " ") {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
        if (letter) {
          word += c;
        } else {
          if (returned.integers.contains(word)) used.insert(word);
          word.clear();
        }
      }
    }
  }
  TaskShape shape;
  for (const std::string& name : used) {
    const PythonNode& value = returned.integers.at(name);
    if (value.is(PythonNode::Kind::integer)) shape.dimensions.emplace_back(name, value.integer);
  }
  task.measured.push_back(std::move(shape));
}

Task task_of(const TextFile& file) {
  Task task;
  task.name = stem(file.path);
  task.style = ReferenceStyle::model;
  task.reference = "task.py";
  task.files.push_back({"task.py", file.content});
  task.operation = task.name.substr(std::min(task.name.size(), task.name.find('_') + 1));
  task.atol = task.rtol = kernelbench_tolerance("f32");
  const PythonModule module = PythonModule::read(file.content);
  const auto returned = module.returned("get_inputs");
  if (returned) {
    task.tensors = torch_inputs(*returned, parameters_of(file.content, "Model", "forward"), file.path, task.lost);
    take_dimensions(*returned, task);
  } else {
    task.lost.push_back({file.path + ": get_inputs", "its text does not tell the inputs: nothing was run to find out"});
  }
  TaskTensor output;
  output.name = "output";
  output.output = true;
  task.tensors.push_back(output);
  task.lost.push_back({file.path + ": forward", "a module says nothing of the type and shape of its result"});
  task.lost.push_back(
      {file.path, "the tolerance 1e-4 is the one for float32; in half precision KernelBench allows 1e-2"});
  for (const char* each : {"nn.Linear(", "nn.Conv", "nn.Parameter(", "nn.Embedding(", "Norm", "nn.LSTM(", "nn.GRU("}) {
    if (file.content.find(each) == std::string::npos) continue;
    task.lost.push_back({file.path + ": Model",
                         "it has weights, which it draws itself; a kernel needs an [[argument]] for each of them"});
    break;
  }
  return task;
}

std::optional<double> positive(const std::optional<double>& value) {
  return value && *value > 0 ? std::optional(*value * kMilliseconds) : std::nullopt;
}

Result<Statistics> read_statistics(const ordered_json* document, const std::string& file, std::vector<Lost>& lost,
                                   ForeignResult& result) {
  Statistics statistics;
  if (document == nullptr || (document->is_object() && document->empty())) return statistics;
  Fields fields(*document, file, "runtime_stats");
  statistics.mean = positive(fields.maybe_number("mean"));
  statistics.deviation = positive(fields.maybe_number("std"));
  statistics.least = positive(fields.maybe_number("min"));
  statistics.most = positive(fields.maybe_number("max"));
  statistics.count = fields.maybe_integer("num_trials");
  if (const auto hardware = fields.maybe_text("hardware")) result.device = *hardware;
  static_cast<void>(fields.any("device"));
  ASSAY_CHECK(fields.check());
  fields.leave_rest(lost);
  return statistics;
}

Result<ForeignResult> read_result(const ordered_json& document, const std::string& task, const std::string& file,
                                  std::vector<Lost>& lost) {
  Fields fields(document, file);
  ForeignResult result;
  result.task = task;
  result.protocol = "kernelbench mean";
  const auto sample = fields.maybe_integer("sample_id");
  result.contender = fmt::format("sample {}", sample.value_or(0));
  const bool compiled = fields.maybe_truth("compiled").value_or(false);
  const bool right = fields.maybe_truth("correctness").value_or(false);
  result.status = !compiled ? Status::compile_error : right ? Status::passed : Status::incorrect;
  if (const ordered_json* const metadata = fields.maybe_object("metadata")) {
    for (const auto& [key, value] : metadata->items()) {
      if (key == "hardware" && value.is_string()) result.device = value.get<std::string>();
      if (key == "runtime_error_name" || key == "compilation_error_name" || key == "correctness_trials")
        result.message += (result.message.empty() ? "" : "; ") + key + " " +
                          (value.is_string() ? value.get<std::string>() : value.dump());
      if (key == "runtime_error_name") result.status = compiled ? Status::runtime_error : result.status;
      if (key == "excessive_speedup" && value.is_boolean() && value.get<bool>())
        result.message += (result.message.empty() ? "" : "; ") + std::string("excessive_speedup");
    }
  }
  const auto runtime = fields.maybe_number("runtime");
  const auto reference = fields.maybe_number("ref_runtime");
  const ordered_json* const stats = fields.maybe_object("runtime_stats");
  const ordered_json* const ref_stats = fields.maybe_object("ref_runtime_stats");
  ASSAY_CHECK(fields.check());
  ASSAY_TRY(result.time, read_statistics(stats, file, lost, result));
  ASSAY_TRY(result.baseline, read_statistics(ref_stats, file, lost, result));
  if (!result.time.mean) result.time.mean = positive(runtime);
  if (!result.baseline.mean) result.baseline.mean = positive(reference);
  if (result.baseline.any()) result.baseline_name = "reference";
  fields.leave_rest(lost);
  result.record = document;
  result.record_format = kKernelbenchFormat;
  return result;
}

// eval_results.json: problem -> list of samples, or one sample.
Result<bool> take_results(const ordered_json& document, const std::string& file, Imported& imported) {
  bool any = false;
  for (const auto& [problem, entry] : document.items()) {
    if (entry.is_object() && entry.contains("compiled")) {
      ASSAY_TRY(ForeignResult result,
                read_result(entry, "problem " + problem, fmt::format("{}: {}", file, problem), imported.lost));
      imported.results.push_back(std::move(result));
      any = true;
    }
    if (!entry.is_array()) continue;
    for (const ordered_json& each : entry) {
      if (!each.is_object() || !each.contains("compiled")) continue;
      ASSAY_TRY(ForeignResult result,
                read_result(each, "problem " + problem, fmt::format("{}: {}", file, problem), imported.lost));
      imported.results.push_back(std::move(result));
      any = true;
    }
  }
  return any;
}

// Stored baselines: level -> file name -> statistics.
Result<bool> take_baselines(const ordered_json& document, const std::string& file, Imported& imported) {
  bool any = false;
  for (const auto& [level, tasks] : document.items()) {
    if (!tasks.is_object()) continue;
    for (const auto& [name, entry] : tasks.items()) {
      if (!entry.is_object() || !entry.contains("mean") || !entry.contains("num_trials")) continue;
      ForeignResult result;
      result.task = stem(name);
      result.contender = "baseline";
      result.protocol = "kernelbench mean";
      result.status = Status::unverified;
      ASSAY_TRY(result.time,
                read_statistics(&entry, fmt::format("{}: {}.{}", file, level, name), imported.lost, result));
      result.record = {{level, {{name, entry}}}};
      result.record_format = kKernelbenchFormat;
      imported.results.push_back(std::move(result));
      any = true;
    }
  }
  return any;
}

}  // namespace

bool is_kernelbench_task(std::string_view text) {
  const PythonModule module = PythonModule::read(text);
  return module.defines("Model") && module.defines("get_inputs");
}

Result<Imported> read_kernelbench(const TextFiles& files) {
  Imported imported;
  imported.format = kKernelbenchFormat;
  for (const TextFile& file : files) {
    if (file.path.ends_with(".py")) {
      if (is_kernelbench_task(file.content)) {
        imported.tasks.push_back(task_of(file));
      } else {
        imported.lost.push_back({file.path, "it has no class Model and no function get_inputs: no task"});
      }
    } else if (file.path.ends_with(".json") || files.size() == 1) {
      ASSAY_TRY(const ordered_json document, parse_ordered(file.content, file.path));
      if (!document.is_object()) return Error{"this is no file of results: it is not an object", Place{file.path}};
      ASSAY_TRY(bool taken, take_results(document, file.path, imported));
      if (!taken) {
        ASSAY_TRY(taken, take_baselines(document, file.path, imported));
      }
      if (!taken) imported.lost.push_back({file.path, "neither results nor stored times"});
      if (taken)
        imported.lost.push_back(
            {file.path, "the file does not say its unit; taken for milliseconds, as the stored ones are"});
    }
  }
  if (imported.tasks.empty() && imported.results.empty())
    return Error{"there is neither a task nor a result of KernelBench in it",
                 Place{files.size() == 1 ? files.front().path : ""},
                 "a task is a module of Python with class Model and get_inputs()"};
  return imported;
}

std::optional<double> fast_p(std::span<const std::optional<double>> speedups, double p) {
  if (speedups.empty()) return std::nullopt;
  size_t count = 0;
  for (const std::optional<double>& each : speedups) {
    if (each && *each > p) ++count;
  }
  return static_cast<double>(count) / static_cast<double>(speedups.size());
}

std::optional<double> geometric_mean(std::span<const std::optional<double>> speedups) {
  double sum = 0;
  size_t count = 0;
  for (const std::optional<double>& each : speedups) {
    if (!each || !(*each > 0)) continue;
    sum += std::log(*each);
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(std::exp(sum / static_cast<double>(count)));
}

double kernelbench_tolerance(std::string_view dtype) {
  return dtype == "f16" || dtype == "bf16" ? 1e-2 : 1e-4;
}

}  // namespace assay::formats
