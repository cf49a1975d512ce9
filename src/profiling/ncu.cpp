// SPDX-License-Identifier: MIT
#include "profiling/ncu.hpp"

#include <array>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "check/worker.hpp"
#include "profiling/ncu_difference.hpp"
#include "profiling/tool.hpp"

namespace assay::profiling {
namespace {

constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr const char* kSmBusy = "sm__instruction_throughput.avg.pct_of_peak_sustained_active";
constexpr const char* kOccupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr const char* kTensorPipe = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* kLocalLoads = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum";
constexpr const char* kLocalStores = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum";
constexpr const char* kDramBytes = "dram__bytes.sum";

constexpr std::array kMetrics = {
    MeasuredMetric{kDuration, "duration"},
    MeasuredMetric{kSmBusy, "SM busy"},
    MeasuredMetric{kOccupancy, "occupancy, achieved"},
    MeasuredMetric{kTensorPipe, "tensor pipe busy"},
    MeasuredMetric{kLocalLoads, "local loads in machine code"},
    MeasuredMetric{kLocalStores, "local stores in machine code"},
    MeasuredMetric{kDramBytes, "bytes to and from DRAM"},
    MeasuredMetric{"smsp__inst_executed.sum", "machine instructions"},
    MeasuredMetric{"smsp__thread_inst_executed.sum", "machine instructions of threads"},
};

constexpr std::array<std::string_view, 5> kTable = {"--csv", "--page", "raw", "--print-units", "base"};
constexpr size_t kLargestTable = size_t{64} << 20;

std::string metric_list(bool to_compare) {
  std::string list;
  for (const MeasuredMetric& metric : kMetrics) {
    list += list.empty() ? "" : ",";
    list += metric.metric;
  }
  for (const gpu::CounterInfo& counter : gpu::counter_table()) {
    if (counter.ncu.empty()) continue;
    list += ',';
    list += counter.ncu;
  }
  for (const std::string_view metric : comparison_metrics()) {
    if (to_compare) list += fmt::format(",{}", metric);
  }
  return list;
}

// The report as a table, which is kept beside it.
Result<std::string> table_of(const std::filesystem::path& ncu, const NcuKept& kept,
                             std::chrono::milliseconds time_limit) {
  Command command;
  command.arguments = {ncu.string(), "--import", kept.report.string()};
  for (const std::string_view word : kTable) command.arguments.emplace_back(word);
  command.output_limit_bytes = kLargestTable;
  command.time_limit = time_limit;
  ASSAY_TRY(const ProcessOutcome outcome, assay::run(command));
  if (!outcome.succeeded())
    return Error{fmt::format("ncu cannot read its own report {}: it {}", kept.report.string(), describe_end(outcome)),
                 {},
                 "",
                 ExitCode::environment};
  if (!kept.table.empty()) ASSAY_CHECK(write_file_atomically(kept.table, outcome.output));
  return outcome.output;
}

// What ncu or the program under it says when it fails, in a line or two.
std::string first_words(std::string_view text) {
  constexpr size_t kMost = 500;
  return std::string(trim(text.substr(0, kMost)));
}

Figure percent_figure(const NcuLaunch& launch, const char* name, const char* metric, std::optional<double> wanted) {
  Figure figure{.name = name,
                .value = launch.value(metric),
                .unit = "%",
                .want = "",
                .evidence = Evidence::measured,
                .note = metric};
  if (!figure.value) figure.note = fmt::format("this GPU or ncu does not know {}", metric);
  if (wanted) figure.want = fmt::format(">= {} %", *wanted);
  if (wanted && figure.value)
    figure.judgement = *figure.value >= *wanted ? Figure::Judgement::good : Figure::Judgement::bad;
  return figure;
}

Figure duration_figure(const NcuLaunch& launch) {
  Figure figure{.name = "duration",
                .value = launch.value(kDuration),
                .unit = "us",
                .want = "",
                .evidence = Evidence::measured,
                .note = "under the profiler; assay bench measures"};
  if (!figure.value) {
    figure.note = "ncu gave none";
    return figure;
  }
  *figure.value /= 1000;  // --print-units base: nanoseconds
  if (*figure.value < kShortKernel_us)
    figure.note += fmt::format("; below {} us launching costs as much as running", kShortKernel_us);
  return figure;
}

Figure local_figure(const NcuLaunch& launch) {
  Figure figure{.name = "local memory requests",
                .value = std::nullopt,
                .unit = "",
                .want = "0",
                .evidence = Evidence::measured,
                .note = "spills and local arrays, in machine code"};
  const auto loads = launch.value(kLocalLoads);
  const auto stores = launch.value(kLocalStores);
  if (!loads || !stores) {
    figure.note = "ncu gave none";
    return figure;
  }
  figure.value = *loads + *stores;
  figure.judgement = *figure.value == 0 ? Figure::Judgement::good : Figure::Judgement::bad;
  return figure;
}

}  // namespace

std::span<const MeasuredMetric> measured_metrics() {
  return kMetrics;
}

namespace {

// `output`: what the program wrote, whatever came of it.
Result<NcuOutcome> run_ncu_telling(const NcuProgram& program, std::string& output) {
  ASSAY_TRY(const std::filesystem::path ncu, find_tool(kNcu));
  ASSAY_TRY(const ScratchFolder folder, ScratchFolder::make());
  const std::filesystem::path table = folder.path() / "ncu.csv";
  const bool keeps = !program.kept.report.empty();
  Command command;
  // Changing clocks needs rights, and hides what users see.
  command.arguments = {ncu.string(), "--clock-control",    "none", "--kernel-name-base",
                       "mangled",    "--target-processes", "all"};  // a program may be a script that starts another;
                                                                    // not every version follows it unasked
  const auto add = [&](std::initializer_list<std::string> words) {
    command.arguments.insert(command.arguments.end(), words);
  };
  if (!program.kernel.empty()) add({"--kernel-name", program.kernel});
  add({"--launch-count", fmt::format("{}", program.launches), "--metrics", metric_list(keeps)});
  if (keeps) {
    add({"--force-overwrite", "--export", program.kept.report.string()});
  } else {
    for (const std::string_view word : kTable) command.arguments.emplace_back(word);
  }
  add({"--log-file", table.string()});
  command.arguments.insert(command.arguments.end(), program.arguments.begin(), program.arguments.end());
  command.input = program.input;
  command.time_limit = program.time_limit;
  ASSAY_TRY(const ProcessOutcome outcome, assay::run(command));
  NcuOutcome result;
  result.output = outcome.output;
  output = outcome.output;
  if (outcome.timed_out)
    return Error{"the kernel did not end in time under ncu", {}, "raise --time-limit", ExitCode::environment};
  const Result<std::string> text = read_file(table, kLargestTable);
  std::string said = text ? *text : outcome.output + outcome.errors;
  if (keeps && std::filesystem::exists(program.kept.report)) {
    ASSAY_TRY(said, table_of(ncu, program.kept, program.time_limit));
  }
  auto launches = read_ncu_csv(said);
  if (!launches) {
    Error error = std::move(launches).error();
    if (said.find("==ERROR==") == std::string::npos && !outcome.succeeded())
      error.message += fmt::format(": it {}. {}", describe_end(outcome), first_words(said));
    return error;
  }
  result.launches = std::move(*launches);
  return result;
}

}  // namespace

Result<NcuOutcome> run_ncu(const NcuProgram& program, std::string* said) {
  std::string output;
  auto outcome = run_ncu_telling(program, output);
  if (said != nullptr) *said = std::move(output);
  return outcome;
}

Result<NcuLaunch> run_ncu(const NcuRun& run) {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::canonical(run.program, failed);
  if (failed)
    return Error{"the program that runs kernels is not there: " + run.program.string(), {}, "", ExitCode::environment};
  NcuProgram program;
  program.arguments = {self.string(), check::kWorkerCommand};
  program.input = check::worker_script(run.setup, run.test);
  program.kernel = run.entry;
  program.time_limit = run.time_limit;
  program.kept = run.kept;
  std::string output;
  auto outcome = run_ncu_telling(program, output);
  if (outcome) return std::move(outcome->launches.front());
  // The kernel's own trouble (no GPU, a launch that was refused) says more than that there is no table.
  const bool tools_own = outcome.error().message.find("ERR_NVGPUCTRPERM") != std::string::npos ||
                         outcome.error().message.starts_with("ncu: ");
  if (tools_own || output.empty()) return std::move(outcome).error();
  const auto answer = check::worker_answer(output, run.test);
  if (!answer) return answer.error();
  if (!answer->passed()) return Error{answer->message, {}, answer->hint, ExitCode::environment};
  return std::move(outcome).error();
}

std::vector<Figure> measured_figures(const NcuLaunch& launch) {
  return {duration_figure(launch), percent_figure(launch, "SM busy", kSmBusy, kWantedSmBusy),
          percent_figure(launch, "occupancy, achieved", kOccupancy, kWantedOccupancy),
          percent_figure(launch, "tensor pipe busy", kTensorPipe, std::nullopt), local_figure(launch)};
}

}  // namespace assay::profiling
