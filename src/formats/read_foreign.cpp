// SPDX-License-Identifier: MIT
#include "formats/read_foreign.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "formats/bencher.hpp"
#include "formats/cutlass_csv.hpp"
#include "formats/flashinfer.hpp"
#include "formats/google_benchmark.hpp"
#include "formats/gpu_mode.hpp"
#include "formats/kernelbench.hpp"
#include "formats/nvbench.hpp"
#include "formats/open_metrics.hpp"
#include "formats/robust_kbench.hpp"
#include "formats/sol_execbench.hpp"
#include "formats/t1.hpp"
#include "formats/trace_events.hpp"
#include "formats/tuned_results.hpp"

namespace assay::formats {
namespace {

bool holds(const std::string& text, std::string_view wanted) {
  return text.find(wanted) != std::string::npos;
}

bool named(const std::string& path, std::string_view name) {
  return path == name || path.ends_with("/" + std::string(name));
}

bool is_json(const TextFile& file) {
  const size_t first = file.content.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (file.content[first] == '{' || file.content[first] == '[');
}

// Members that only SOL-ExecBench has.
bool says_sol(const std::string& text) {
  return holds(text, "\"expr\"") || holds(text, "\"custom_inputs_entrypoint\"") || holds(text, "\"hf_id\"") ||
         holds(text, "\"max_atol\"") || holds(text, "\"REWARD_HACK\"") || holds(text, "\"INVALID_REFERENCE\"") ||
         holds(text, "\"has_nan\"");
}

std::string format_of(const TextFile& file) {
  const std::string& text = file.content;
  if (named(file.path, "task.yml") || named(file.path, "task.yaml")) return "gpumode";
  if (named(file.path, "config_forward.json")) return "robust-kbench";
  if (file.path.ends_with(".py")) return is_kernelbench_task(text) ? "kernelbench" : "";
  if (is_json(file)) {
    if (holds(text, "\"ConfigurationSpace\"") && holds(text, "\"KernelSpecification\"")) return "t1";
    if (holds(text, "\"tune_params_keys\"")) return "kernel-tuner";
    if (holds(text, "\"benchmarks\"") && holds(text, "\"states\"")) return "nvbench";
    if (holds(text, "\"results\"") && holds(text, "\"configuration\"")) return "t4";
    if (holds(text, "\"eval_settings\"")) return "robust-kbench";
    if (holds(text, "\"compiled\"") && holds(text, "\"correctness\"")) return "kernelbench";
    if (holds(text, "\"num_trials\"") && holds(text, "\"mean\"")) return "kernelbench";
    const bool trace = holds(text, "\"axes\"") && (holds(text, "\"uuid\"") || holds(text, "\"outputs\""));
    const bool solution = holds(text, "\"sources\"") && holds(text, "\"definition\"");
    if (trace || solution) return says_sol(text) ? "solexec" : "flashinfer";
    return "";
  }
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  if (holds(std::string(line), "Problem,") && holds(std::string(line), "Disposition")) return "cutlass";
  if (holds(text, "benchmark.0.spec") || holds(text, "test.0.spec")) return "gpumode";
  if (file.path.ends_with(".yml") || file.path.ends_with(".yaml")) return holds(text, "files:") ? "gpumode" : "";
  return "";
}

Result<Imported> read_each(const TextFiles& files, Result<Imported> (*parse)(std::string_view, const std::string&),
                           const char* format) {
  Imported all;
  all.format = format;
  std::optional<Error> error;
  bool any = false;
  for (const TextFile& file : files) {
    if (files.size() > 1 && format_of(file) != format) continue;
    auto one = parse(file.content, file.path);
    if (!one) return one.error();
    any = true;
    all.repaired = all.repaired || one->repaired;
    all.format = one->format;
    std::ranges::move(one->results, std::back_inserter(all.results));
    std::ranges::move(one->lost, std::back_inserter(all.lost));
  }
  if (!any) return Error{fmt::format("there is no file of the format {} in it", format)};
  return all;
}

}  // namespace

const std::vector<std::string>& readable_formats() {
  static const std::vector<std::string> names{"flashinfer", "solexec", "kernelbench", "gpumode",      "robust-kbench",
                                              "cutlass",    "nvbench", "t1",          "kernel-tuner", "t4"};
  return names;
}

const std::vector<std::string>& writable_formats() {
  static const std::vector<std::string> names{"flashinfer",       "solexec", "t4",          "nvbench",
                                              "google-benchmark", "bencher", "openmetrics", "trace-events"};
  return names;
}

std::string detect_format(const TextFiles& files) {
  std::vector<std::string> found;
  for (const TextFile& file : files) {
    std::string format = format_of(file);
    if (!format.empty()) found.push_back(std::move(format));
  }
  // A task's folder holds files that would be something else alone, and SOL's objects are FlashInfer's too.
  for (const char* format : {"gpumode", "robust-kbench", "t1", "solexec", "flashinfer", "kernelbench", "nvbench",
                             "kernel-tuner", "t4", "cutlass"}) {
    if (std::ranges::find(found, format) != found.end()) return format;
  }
  return "";
}

Result<Imported> read_foreign(const TextFiles& files, const std::string& format) {
  if (files.empty()) return Error{"there is no file in it"};
  const std::string chosen = format.empty() ? detect_format(files) : format;
  if (chosen == "flashinfer") return read_flashinfer(files);
  if (chosen == "solexec") return read_sol_execbench(files);
  if (chosen == "kernelbench") return read_kernelbench(files);
  if (chosen == "gpumode") return read_gpu_mode(files);
  if (chosen == "robust-kbench") return read_robust_kbench(files);
  if (chosen == "cutlass") return read_each(files, parse_cutlass_csv, "cutlass");
  if (chosen == "nvbench") return read_nvbench(files);
  if (chosen == "t1") return read_t1(files);
  if (chosen == "kernel-tuner" || chosen == "t4") return read_each(files, parse_tuned_results, chosen.c_str());
  if (chosen.empty())
    return Error{"this is of no format that is known", Place{files.size() == 1 ? files.front().path : ""},
                 fmt::format("--format says which: {}", join(readable_formats(), ", "))};
  return Error{fmt::format("there is no format '{}' to read", chosen),
               {},
               fmt::format("choose one of {}", join(readable_formats(), ", "))};
}

Result<Written> write_foreign(const std::vector<ForeignResult>& results, const std::string& format,
                              const std::string& folder) {
  if (format == "flashinfer") return write_traces(results, TraceDialect::flashinfer);
  if (format == "solexec") return write_traces(results, TraceDialect::sol);
  if (format == "t4") return write_t4(results);
  if (format == "nvbench") return write_nvbench(results, folder);
  if (format == "google-benchmark") return write_google_benchmark(results);
  if (format == "bencher") return write_bencher(results);
  if (format == "openmetrics") return write_open_metrics(results);
  if (format == "trace-events") return write_trace_events(results);
  return Error{fmt::format("there is no format '{}' to write", format),
               {},
               fmt::format("choose one of {}", join(writable_formats(), ", "))};
}

}  // namespace assay::formats
