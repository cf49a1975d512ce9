// SPDX-License-Identifier: MIT
#include "formats/robust_kbench.hpp"

#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "formats/fields.hpp"
#include "formats/text_file.hpp"
#include "formats/torch_inputs.hpp"

namespace assay::formats {
namespace {

constexpr const char* kRobustKbenchFormat = "robust-kbench";
constexpr double kMilliseconds = 1000;
constexpr size_t kMostCases = 10'000;

Result<std::vector<ordered_json>> objects(Fields& fields, const char* name) {
  std::vector<ordered_json> list;
  if (const ordered_json* const values = fields.maybe_list(name)) {
    for (const ordered_json& each : *values) {
      if (!each.is_object())
        return Error{fmt::format("an entry of '{}' is not an object", name), Place{fields.where()}};
      list.push_back(each);
    }
  }
  if (list.empty()) list.push_back(ordered_json::object());
  return list;
}

// Every init with every input with every shared configuration; what is shared wins.
Result<std::vector<TaskShape>> cases_of(const std::vector<ordered_json>& inits, const std::vector<ordered_json>& inputs,
                                        const std::vector<ordered_json>& shared, const std::string& where,
                                        std::set<std::string>& said, std::vector<Lost>& lost) {
  std::vector<TaskShape> cases;
  std::set<std::string> seen;
  if (inits.size() * inputs.size() * shared.size() > kMostCases)
    return Error{fmt::format("there are more than {} cases", kMostCases), Place{where}};
  for (const ordered_json& init : inits) {
    for (const ordered_json& input : inputs) {
      for (const ordered_json& common : shared) {
        std::map<std::string, int64_t> values;
        for (const ordered_json* part : {&init, &input, &common}) {
          for (const auto& [name, value] : part->items()) {
            if (value.is_number_integer()) {
              values[name] = value.get<int64_t>();
            } else if (said.insert(name).second) {
              lost.push_back({fmt::format("{}: {}", where, name),
                              "a dimension of kernel.toml is a whole number, and this is none"});
            }
          }
        }
        TaskShape shape;
        for (const auto& [name, value] : values) shape.dimensions.emplace_back(name, value);
        if (seen.insert(to_text(shape.dimensions)).second) cases.push_back(std::move(shape));
      }
    }
  }
  return cases;
}

Result<Task> task_of(const TextFile& config, const TextFiles& files) {
  Task task;
  const std::string folder = folder_of(config.path);
  task.name =
      folder.empty() ? "" : folder.substr(0, folder.size() - 1).substr(folder.rfind('/', folder.size() - 2) + 1);
  ASSAY_TRY(const ordered_json json, parse_ordered(config.content, config.path));
  Fields fields(json, config.path);
  std::set<std::string> said;
  ASSAY_TRY(const auto single_inits, objects(fields, "single_init_configs"));
  ASSAY_TRY(const auto single_inputs, objects(fields, "single_input_configs"));
  ASSAY_TRY(const auto single_shared, objects(fields, "single_shared_configs"));
  ASSAY_TRY(const auto inits, objects(fields, "multi_init_configs"));
  ASSAY_TRY(const auto inputs, objects(fields, "multi_input_configs"));
  ASSAY_TRY(const auto shared, objects(fields, "multi_shared_configs"));
  ASSAY_CHECK(fields.check());
  ASSAY_TRY(task.measured, cases_of(single_inits, single_inputs, single_shared, config.path, said, task.lost));
  ASSAY_TRY(task.tested, cases_of(inits, inputs, shared, config.path, said, task.lost));
  fields.leave_rest(task.lost);
  for (const char* name : {"func_forward.py", "forward.cu"}) {
    if (const TextFile* const file = find_file(files, folder + name)) task.files.push_back({name, file->content});
  }
  const TextFile* const module_file = find_file(files, folder + "func_forward.py");
  if (module_file == nullptr) {
    task.lost.push_back({config.path, "there is no func_forward.py beside it: reference and inputs are open"});
  } else {
    task.style = ReferenceStyle::forward;
    task.reference = "func_forward.py";
    const PythonModule module = PythonModule::read(module_file->content);
    if (const auto returned = module.returned("get_inputs")) {
      std::vector<std::string> names = parameters_of(module_file->content, "Model", "forward");
      std::erase(names, "fn");
      task.tensors = torch_inputs(*returned, names, module_file->path, task.lost);
    } else {
      task.lost.push_back({module_file->path + ": get_inputs", "its text does not tell the inputs: nothing was run"});
    }
  }
  TaskTensor output;
  output.name = "output";
  output.output = true;
  task.tensors.push_back(output);
  task.lost.push_back({config.path, "nothing says what type and shape the result has"});
  task.atol = task.rtol = 1e-5;  // what its evaluation allows
  for (const TextFile& file : files) {
    if (file.path == folder + "config_backward.json")
      task.lost.push_back({file.path, "a task of its own: import the backward pass by writing a kernel.toml for it"});
    if (file.path == folder + "filter_results.json")
      task.lost.push_back({file.path, "what its filters found about the task has no place in kernel.toml"});
    if (file.path == folder + "forward.cu")
      task.lost.push_back({file.path, "its entry point is a function of the host, not a kernel; it is kept as a file"});
  }
  return task;
}

Result<bool> take_results(const TextFile& file, Imported& imported) {
  ASSAY_TRY(const ordered_json json, parse_ordered(file.content, file.path));
  if (!json.is_object() || !json.contains("eval_settings") || !json["eval_settings"].is_object()) return false;
  Fields fields(json, file.path);
  const ordered_json& settings = *fields.maybe_object("eval_settings");
  static_cast<void>(fields.any("summary"));  // averages of what follows
  std::string device;
  if (const ordered_json* const info = fields.any("device_info")) {
    if (info->is_string()) device = info->get<std::string>();
    for (const char* name : {"name", "device_name", "gpu"}) {
      if (info->is_object() && info->contains(name) && (*info)[name].is_string())
        device = (*info)[name].get<std::string>();
    }
  }
  std::string task = folder_of(file.path);
  if (const size_t at = task.find("eval_results"); at != std::string::npos) task = task.substr(0, at);
  while (task.ends_with('/')) task.pop_back();
  task = task.substr(task.rfind('/') + 1);
  for (const auto& [name, entry] : settings.items()) {
    Fields inner(entry, file.path, "eval_settings." + name);
    ForeignResult result;
    result.task = task;
    result.contender = file.path.substr(file.path.rfind('/') + 1);
    result.contender = result.contender.substr(0, result.contender.rfind('.'));
    result.shape = name;
    result.device = device;
    result.protocol = "robust-kbench";
    const auto time = [&](const char* member) -> std::optional<double> {
      const auto value = inner.maybe_number(member);
      return value && *value > 0 ? std::optional(*value * kMilliseconds) : std::nullopt;
    };
    result.time.mean = time("mean_time");
    result.time.median = time("median_time");
    if (const auto spread = time("iqr_time")) result.other["interquartile_range_us"] = *spread;
    ASSAY_CHECK(inner.check());
    inner.leave_rest(imported.lost);
    result.status = Status::unverified;
    result.record = {{name, entry}};
    result.record_format = kRobustKbenchFormat;
    imported.results.push_back(std::move(result));
  }
  fields.leave_rest(imported.lost);
  return true;
}

}  // namespace

Result<Imported> read_robust_kbench(const TextFiles& files) {
  Imported imported;
  imported.format = kRobustKbenchFormat;
  for (const TextFile& file : files) {
    if (file.path == "config_forward.json" || file.path.ends_with("/config_forward.json")) {
      ASSAY_TRY(Task task, task_of(file, files));
      imported.tasks.push_back(std::move(task));
    } else if (file.path.find("eval_results") != std::string::npos || files.size() == 1) {
      if (!file.path.ends_with(".json") && files.size() > 1) continue;
      ASSAY_TRY(const bool taken, take_results(file, imported));
      if (!taken) imported.lost.push_back({file.path, "there are no results in it"});
    }
  }
  if (imported.tasks.empty() && imported.results.empty())
    return Error{"there is neither a config_forward.json nor a result of robust-kbench in it",
                 {},
                 "docs/formats.md has an example"};
  return imported;
}

}  // namespace assay::formats
