// SPDX-License-Identifier: MIT
#include "formats/gpu_mode.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "formats/fields.hpp"
#include "formats/text_file.hpp"
#include "formats/yaml.hpp"

namespace assay::formats {
namespace {

constexpr const char* kGpuModeFormat = "gpumode";
constexpr const char* kSubmission = "@SUBMISSION@";
constexpr double kNanoseconds = 1e-3;  // a time of theirs in microseconds

Result<std::vector<ordered_json>> read_cases(Fields& fields, const char* name) {
  std::vector<ordered_json> cases;
  const ordered_json* const list = fields.maybe_list(name);
  if (list == nullptr) return cases;
  for (const ordered_json& each : *list) {
    if (!each.is_object()) return Error{fmt::format("an entry of '{}' is not a mapping", name), Place{fields.where()}};
    cases.push_back(each);
  }
  return cases;
}

TaskShape shape_of(const ordered_json& values, const std::string& where, std::set<std::string>& said,
                   std::vector<Lost>& lost) {
  TaskShape shape;
  for (const auto& [name, value] : values.items()) {
    if (name == "seed") {
      if (said.insert(name).second) lost.push_back({where + ": seed", "inputs are drawn with seeds of our own"});
    } else if (value.is_number_integer()) {
      shape.dimensions.emplace_back(name, value.get<int64_t>());
    } else if (said.insert(name).second) {
      lost.push_back(
          {fmt::format("{}: {}", where, name), "a dimension of kernel.toml is a whole number, and this is a word"});
    }
  }
  return shape;
}

Result<Task> task_of(const TextFile& file, const TextFiles& files) {
  Task task;
  const std::string folder = folder_of(file.path);
  task.name = folder.empty() ? "" : folder.substr(folder.rfind('/', folder.size() - 2) + 1, std::string::npos);
  if (task.name.ends_with('/')) task.name.pop_back();
  ASSAY_TRY(const GpuModeTask read, parse_gpu_mode_task(file.content, file.path, task.lost));
  task.description = read.description;
  task.style = read.lang == "py" ? ReferenceStyle::ref_kernel : ReferenceStyle::none;
  task.files.push_back({"task.yml", file.content});
  for (const auto& [name, source] : read.files) {
    if (source == kSubmission) continue;
    const TextFile* const found = find_file(files, folder + source);
    if (found != nullptr) {
      task.files.push_back({name, found->content});
      if (name == "reference.py") task.reference = name;
    } else {
      task.lost.push_back(
          {file.path + ": files", fmt::format("'{}' does not lie in the folder that was read", source)});
    }
  }
  if (read.lang == "py" && task.reference.empty())
    task.lost.push_back({file.path + ": files", "there is no reference.py: the reference has to be written"});
  if (read.lang == "cu")
    task.lost.push_back(
        {file.path + ": lang", "inputs and outputs are types of C++ in task.h: the arguments are open"});
  std::set<std::string> said;
  for (const ordered_json& each : read.benchmarks)
    task.measured.push_back(shape_of(each, file.path + ": benchmarks", said, task.lost));
  for (const ordered_json& each : read.tests)
    task.tested.push_back(shape_of(each, file.path + ": tests", said, task.lost));
  if (task.style == ReferenceStyle::ref_kernel)
    task.lost.push_back({file.path, "what generate_input makes is known only when it runs: the arguments are open"});
  if (!read.ranking_by.empty())
    task.lost.push_back({file.path + ": ranking_by", "a kernel has no rank here; assay judge compares each case"});
  return task;
}

std::optional<double> number(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  double value = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [stop, problem] = std::from_chars(found->second.data(), end, value);
  return problem == std::errc() && stop == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// "rows: 4096; columns: 4096; seed: 2" -> "rows=4096,columns=4096"
std::string shape_text(const std::string& spec) {
  std::string text;
  for (const std::string_view part : split(spec, ';')) {
    const size_t at = part.find(':');
    if (at == std::string_view::npos) continue;
    const std::string_view name = trim(part.substr(0, at));
    if (name == "seed") continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, trim(part.substr(at + 1)));
  }
  return text;
}

Result<void> take_results(const TextFile& file, Imported& imported) {
  std::map<std::string, std::string> values;
  for (const std::string_view line : split(file.content, '\n')) {
    const size_t at = line.find(": ");
    if (at == std::string_view::npos) continue;
    values[std::string(trim(line.substr(0, at)))] = std::string(trim(line.substr(at + 2)));
  }
  constexpr int kMost = 100'000;
  int cases = 0;
  for (const char* kind : {"benchmark", "test"}) {
    for (int i = 0; i < kMost; ++i) {
      const std::string prefix = fmt::format("{}.{}.", kind, i);
      const auto spec = values.find(prefix + "spec");
      if (spec == values.end()) break;
      ++cases;
      ForeignResult result;
      result.contender = "submission";
      result.shape = shape_text(spec->second);
      result.protocol = "gpumode mean";
      const std::string status = values.contains(prefix + "status") ? values[prefix + "status"] : "";
      if (values.contains(prefix + "error")) result.message = values[prefix + "error"];
      const auto time = [&](const char* name) -> std::optional<double> {
        const auto value = number(values, prefix + name);
        return value && *value > 0 ? std::optional(*value * kNanoseconds) : std::nullopt;
      };
      result.time.mean = time("mean");
      result.time.deviation = time("std");
      result.time.least = time("best");
      result.time.most = time("worst");
      if (const auto runs = number(values, prefix + "runs"); runs && *runs >= 0 && *runs < 1e15)
        result.time.count = static_cast<int64_t>(*runs);
      if (const auto error = number(values, prefix + "err")) result.other["standard_error_us"] = *error * kNanoseconds;
      result.status = status == "pass" || (status.empty() && result.time.mean) ? Status::passed : Status::incorrect;
      if (status.empty() && !result.time.mean && result.message.empty()) result.status = Status::unverified;
      ordered_json record = ordered_json::object();
      constexpr size_t kMostShown = 64;
      for (auto each = values.lower_bound(prefix);
           each != values.end() && each->first.starts_with(prefix) && record.size() < kMostShown; ++each)
        record[each->first.substr(prefix.size())] = each->second;
      result.record = std::move(record);
      result.record_format = kGpuModeFormat;
      imported.results.push_back(std::move(result));
    }
  }
  if (cases == 0) return Error{"there is no 'benchmark.0.spec' and no 'test.0.spec' in it", Place{file.path}};
  imported.lost.push_back({file.path, "an evaluation does not say on which GPU, nor of which task"});
  return {};
}

bool is_task_file(const std::string& path) {
  return path == "task.yml" || path.ends_with("/task.yml") || path == "task.yaml" || path.ends_with("/task.yaml");
}

}  // namespace

Result<GpuModeTask> parse_gpu_mode_task(std::string_view text, const std::string& name, std::vector<Lost>& lost) {
  ASSAY_TRY(const ordered_json yaml, parse_yaml(text, name));
  Fields fields(yaml, name);
  GpuModeTask task;
  task.lang = fields.maybe_text("lang").value_or("py");
  task.description = fields.maybe_text("description").value_or("");
  task.ranking_by = fields.maybe_text("ranking_by").value_or("");
  const ordered_json* const files = fields.maybe_list("files");
  ASSAY_CHECK(fields.check());
  if (task.lang != "py" && task.lang != "cu")
    return Error{fmt::format("lang is '{}'; expected py or cu", task.lang), Place{name}};
  if (files == nullptr) return Error{"there is no list 'files'", Place{name}};
  for (const ordered_json& each : *files) {
    Fields entry(each, name, "files");
    task.files.emplace_back(entry.text("name"), entry.text("source"));
    ASSAY_CHECK(entry.check());
    entry.leave_rest(lost);
  }
  ASSAY_TRY(task.tests, read_cases(fields, "tests"));
  ASSAY_TRY(task.benchmarks, read_cases(fields, "benchmarks"));
  ASSAY_CHECK(fields.check());
  static_cast<void>(fields.any("config"));  // how their own evaluation starts
  fields.leave_rest(lost);
  return task;
}

std::string to_case_text(const ordered_json& values) {
  std::string text;
  for (const auto& [name, value] : values.items())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

Result<Imported> read_gpu_mode(const TextFiles& files) {
  Imported imported;
  imported.format = kGpuModeFormat;
  for (const TextFile& file : files) {
    if (!is_task_file(file.path) &&
        !(files.size() == 1 && (file.path.ends_with(".yml") || file.path.ends_with(".yaml"))))
      continue;
    ASSAY_TRY(Task task, task_of(file, files));
    imported.tasks.push_back(std::move(task));
  }
  if (imported.tasks.empty()) {
    for (const TextFile& file : files) {
      if (files.size() > 1 && file.content.find("benchmark.0.spec") == std::string::npos &&
          file.content.find("test.0.spec") == std::string::npos)
        continue;
      ASSAY_CHECK(take_results(file, imported));
    }
  }
  if (imported.tasks.empty() && imported.results.empty())
    return Error{"there is no task.yml in it, and no output of an evaluation", {}, "docs/formats.md has an example"};
  return imported;
}

}  // namespace assay::formats
