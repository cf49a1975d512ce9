// SPDX-License-Identifier: MIT
#include "profiling/ncu.hpp"

#include <array>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "check/worker.hpp"
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

std::string metric_list() {
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
  return list;
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

Result<NcuLaunch> run_ncu(const NcuRun& run) {
  ASSAY_TRY(const std::filesystem::path ncu, find_tool(kNcu));
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::canonical(run.program, failed);
  if (failed)
    return Error{"the program that runs kernels is not there: " + run.program.string(), {}, "", ExitCode::environment};
  ASSAY_TRY(const ScratchFolder folder, ScratchFolder::make());
  const std::filesystem::path table = folder.path() / "ncu.csv";
  Command command;
  command.arguments = {ncu.string(),
                       "--clock-control",
                       "none",  // changing clocks needs rights, and hides what users see
                       "--csv",
                       "--page",
                       "raw",
                       "--print-units",
                       "base",
                       "--kernel-name-base",
                       "mangled",
                       "--kernel-name",
                       run.entry,
                       "--launch-count",
                       "1",
                       "--metrics",
                       metric_list(),
                       "--log-file",
                       table.string(),
                       self.string(),
                       check::kWorkerCommand};
  command.input = check::worker_script(run.setup, run.test);
  command.time_limit = run.time_limit;
  ASSAY_TRY(const ProcessOutcome outcome, assay::run(command));
  const Result<std::string> text = read_file(table, size_t{64} << 20);
  const std::string said = text ? *text : outcome.output + outcome.errors;
  if (outcome.timed_out)
    return Error{"the kernel did not end in time under ncu", {}, "raise --time-limit", ExitCode::environment};
  // The kernel's own trouble (no GPU, a launch that was refused) says more than that there is no table.
  const auto answer = check::worker_answer(outcome.output, run.test);
  auto launches = read_ncu_csv(said);
  if (!launches) {
    if (said.find("==ERROR==") != std::string::npos) return std::move(launches).error();
    if (!answer && !outcome.output.empty()) return answer.error();
    if (answer && !answer->passed()) return Error{answer->message, {}, answer->hint, ExitCode::environment};
    Error error = std::move(launches).error();
    if (!outcome.succeeded()) error.message += fmt::format(": it {}. {}", describe_end(outcome), first_words(said));
    return error;
  }
  return std::move(launches->front());
}

std::vector<Figure> measured_figures(const NcuLaunch& launch) {
  return {duration_figure(launch), percent_figure(launch, "SM busy", kSmBusy, kWantedSmBusy),
          percent_figure(launch, "occupancy, achieved", kOccupancy, kWantedOccupancy),
          percent_figure(launch, "tensor pipe busy", kTensorPipe, std::nullopt), local_figure(launch)};
}

}  // namespace assay::profiling
