// SPDX-License-Identifier: MIT
#include "work/judge_tasks.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "formats/gpu_mode.hpp"
#include "formats/kernelbench.hpp"
#include "formats/python_module.hpp"
#include "formats/torch_inputs.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;

Result<JudgeTask> model_task(const fs::path& file, const std::string& text) {
  JudgeTask task;
  task.name = file.stem().string();
  task.style = "model";
  task.module = fs::absolute(file).lexically_normal();
  task.cases.push_back({"get_inputs()", nlohmann::ordered_json::object(), true});
  const formats::PythonModule module = formats::PythonModule::read(text);
  if (const auto returned = module.returned("get_inputs")) {
    std::vector<formats::Lost> lost;
    task.inputs = formats::torch_inputs(*returned, formats::parameters_of(text, "Model", "forward"), task.name, lost);
    // A value that is changed after it was drawn is drawn by the task itself.
    for (formats::TaskTensor& input : task.inputs) {
      const bool changed = std::ranges::any_of(
          lost, [&](const formats::Lost& each) { return each.where == task.name + ": " + input.name; });
      if (changed) input.fill.clear();
    }
  }
  return task;
}

bool is_header(const fs::path& name) {
  const std::string ending = name.extension().string();
  return ending == ".h" || ending == ".hpp" || ending == ".cuh";
}

Result<JudgeTask> gpu_mode_task(const fs::path& folder, const fs::path& file, bool tests) {
  ASSAY_TRY(const std::string text, read_file(file, size_t{16} << 20));
  std::vector<formats::Lost> lost;
  ASSAY_TRY(const formats::GpuModeTask read, formats::parse_gpu_mode_task(text, file.string(), lost));
  JudgeTask task;
  const fs::path own = fs::absolute(folder).lexically_normal();
  task.name = (own.has_filename() ? own : own.parent_path()).filename().string();
  const bool python = read.lang == "py";
  const char* const reference = python ? "reference.py" : "reference.cuh";
  task.style = python ? "ref_kernel" : "host_cuda";
  task.module = own / reference;
  for (const auto& [name, source] : read.files) {
    const fs::path path = (own / source).lexically_normal();
    if (name == reference) task.module = path;
    if (python || source == "@SUBMISSION@" || !is_header(name)) continue;
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
      return Error{"there is no such file, which the task names", Place{path.string()}};
    task.headers.emplace_back(fs::path(name).filename().string(), path);
  }
  std::error_code failed;
  if (!fs::is_regular_file(task.module, failed)) return Error{"there is no such file", Place{task.module.string()}};
  const bool named = std::ranges::any_of(task.headers, [&](const auto& each) { return each.first == reference; });
  if (!python && !named) task.headers.emplace_back(reference, task.module);
  for (const auto& each : read.benchmarks) task.cases.push_back({formats::to_case_text(each), each, true});
  for (const auto& each : read.tests) {
    if (tests) task.cases.push_back({formats::to_case_text(each), each, false});
  }
  if (read.benchmarks.empty()) return Error{"the task has no benchmarks", Place{file.string()}};
  return task;
}

bool is_source(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".py" || ending == ".cu";
}

Result<std::vector<fs::path>> sources_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.is_regular_file(failed) && is_source(entry.path())) files.push_back(entry.path());
  }
  if (failed)
    return Error{fmt::format("cannot be read: {}", failed.message()), Place{folder.string()}, "",
                 ExitCode::environment};
  std::ranges::sort(files);
  return files;
}

std::string leading_number(const std::string& name) {
  return name.substr(0, name.find_first_not_of("0123456789"));
}

bool answers(const std::string& submission, const std::string& task) {
  if (submission == task) return true;
  if (submission.starts_with(task) && !std::isalnum(static_cast<unsigned char>(submission[task.size()]))) return true;
  const std::string number = leading_number(task);
  if (number.empty()) return false;
  const std::string mark = "problem_" + number;
  const size_t at = submission.find(mark);
  if (at != std::string::npos)
    return at + mark.size() == submission.size() ||
           !std::isdigit(static_cast<unsigned char>(submission[at + mark.size()]));
  return leading_number(submission) == number;
}

}  // namespace

Result<std::vector<JudgeTask>> find_tasks(const fs::path& path, bool tests) {
  std::error_code failed;
  std::vector<JudgeTask> tasks;
  if (!fs::exists(path, failed)) return Error{"there is no such file or folder", Place{path.string()}};
  if (!fs::is_directory(path, failed)) {
    if (path.filename() == "task.yml" || path.filename() == "task.yaml") {
      ASSAY_TRY(JudgeTask task, gpu_mode_task(path.parent_path(), path, tests));
      tasks.push_back(std::move(task));
      return tasks;
    }
    ASSAY_TRY(const std::string text, read_file(path, size_t{16} << 20));
    if (!formats::is_kernelbench_task(text))
      return Error{"this is no task: it has no class Model and no function get_inputs", Place{path.string()},
                   "a task of KernelBench is a module of Python, one of GPU MODE a folder with task.yml"};
    ASSAY_TRY(JudgeTask task, model_task(path, text));
    tasks.push_back(std::move(task));
    return tasks;
  }
  for (const char* name : {"task.yml", "task.yaml"}) {
    if (!fs::exists(path / name, failed)) continue;
    ASSAY_TRY(JudgeTask task, gpu_mode_task(path, path / name, tests));
    tasks.push_back(std::move(task));
    return tasks;
  }
  ASSAY_TRY(const std::vector<fs::path> files, sources_of(path));
  for (const fs::path& file : files) {
    ASSAY_TRY(const std::string text, read_file(file, size_t{16} << 20));
    if (!formats::is_kernelbench_task(text)) continue;
    ASSAY_TRY(JudgeTask task, model_task(file, text));
    tasks.push_back(std::move(task));
  }
  if (tasks.empty())
    return Error{"there is no task in it", Place{path.string()},
                 "expected modules of Python with class Model and get_inputs(), or task.yml"};
  return tasks;
}

Result<std::vector<JudgePair>> pair_up(const std::vector<JudgeTask>& tasks, const fs::path& submission) {
  std::error_code failed;
  std::vector<JudgePair> pairs;
  if (!fs::exists(submission, failed)) return Error{"there is no such file or folder", Place{submission.string()}};
  const bool folder = fs::is_directory(submission, failed);
  std::vector<fs::path> files{submission};
  if (folder) {
    ASSAY_TRY(files, sources_of(submission));
  }
  if (files.empty()) return Error{"there is no answer in it: no .py and no .cu", Place{submission.string()}};
  if (tasks.size() == 1) {
    for (const fs::path& file : files) pairs.push_back({0, fs::absolute(file).lexically_normal()});
    return pairs;
  }
  std::vector<bool> used(files.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    bool any = false;
    for (size_t f = 0; f < files.size(); ++f) {
      if (used[f] || !answers(files[f].stem().string(), tasks[i].name)) continue;
      used[f] = any = true;
      pairs.push_back({i, fs::absolute(files[f]).lexically_normal()});
    }
    if (!any) pairs.push_back({i, {}});
  }
  for (size_t f = 0; f < files.size(); ++f) {
    if (!used[f])
      return Error{"this answers none of the tasks, by its name", Place{files[f].string()},
                   "call it as the task is called, or name the task's number: problem_23"};
  }
  return pairs;
}

}  // namespace assay::work
