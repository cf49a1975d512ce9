// SPDX-License-Identifier: MIT
#include "assay/tune_stop.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assay/bench.hpp"
#include "base/elapsed.hpp"
#include "device/open/open_device.hpp"
#include "spec/configuration.hpp"
#include "spec/configuration_tree.hpp"
#include "work/diagnose_details.hpp"
#include "work/document.hpp"
#include "work/kernel.hpp"
#include "work/recording.hpp"
#include "work/stop_saving.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr double kSecondsForEach = 5;  // of a shape: a factor of two shows at once

struct SlowestShape {
  std::string shape;
  double speed = 0;
  KernelBench measured{};
};

Result<std::optional<SlowestShape>> slowest_beside(const TuneRequest& request, const std::string& baseline,
                                                   const std::string& gpu, const Context& context) {
  BenchRequest bench;
  bench.choice = {request.choice.kernel, "", gpu};
  bench.baselines = {baseline};
  bench.measuring.shapes = request.shapes;
  bench.measuring.shape = request.shape;
  bench.measuring.budget_s = kSecondsForEach;
  bench.seed = request.seed;
  bench.record = request.record;
  bench.stop_below = kStopBelow;
  ASSAY_TRY(BenchReport report, work::bench(bench, context));
  std::optional<SlowestShape> slowest;
  for (const BenchCase& each : report.kernels.front().cases) {
    // One that is wrong is the search's to tell.
    if (each.contenders.size() < 2 || !each.contenders[0].good || !each.contenders[1].speedup) continue;
    if (!slowest || *each.contenders[1].speedup < slowest->speed) slowest = {each.shape, *each.contenders[1].speedup};
  }
  if (slowest) slowest->measured = std::move(report.kernels.front());
  return slowest;
}

// As many as the search would have made at most: a small space is searched whole.
size_t evaluations_of(const spec::KernelSpec& spec, const TuneRequest& request) {
  if (!request.only.empty()) return request.only.size();
  const auto fixed = spec::parse_choices(spec, request.choice.configuration);
  if (!fixed) return request.budget;
  size_t legal = 0;
  const auto walked = spec::ConfigurationTree(spec, *fixed).walk([&](const spec::ConfigurationRow&) -> Result<bool> {
    return ++legal < request.budget;
  });
  return walked && legal > 0 ? legal : request.budget;
}

json tune_stop_document(const TuneStop& stop) {
  json document = stop_document(stop.baseline, stop.shape, stop.speed, &stop.diagnosis, stop.saved);
  document["compared_s"] = stop.compared_s;
  return document;
}

Result<TuneStop> stopped(const spec::KernelSpec& spec, const TuneRequest& request, TuneStop stop,
                         const std::string& gpu, const Context& context) {
  DiagnoseRequest diagnose;
  diagnose.choice.kernel = request.choice.kernel;
  ASSAY_TRY(diagnose.choice.device, virtual_device_for(spec, ""));
  diagnose.shape = stop.shape;
  diagnose.seed = request.seed;
  diagnose.limits = request.limits;
  diagnose.record = request.record;
  ASSAY_TRY(stop.diagnosis, work::diagnose(diagnose, context));
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::tune, &spec, request.choice.configuration, gpu, request.seed}));
  ledger::Attempt attempt = recording.draft();
  attempt.shape = stop.shape;
  attempt.verdict = "stopped";
  attempt.exit_code = static_cast<int>(ExitCode::regression);
  attempt.details = json{{"stopped", tune_stop_document(stop)}}.dump(-1, ' ', false, json::error_handler_t::replace);
  ASSAY_TRY(stop.attempt, recording.close(recording.write(std::move(attempt))));
  return stop;
}

}  // namespace

Result<std::optional<TuneStop>> stop_before_tuning(const TuneRequest& request, const std::string& baseline,
                                                   const Context& context) {
  const auto begun = std::chrono::steady_clock::now();
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  TuneStop stop;
  stop.kernel = spec.kernel.name;
  stop.baseline = baseline.empty() && !spec.baselines.empty() ? spec.baselines.front().name : baseline;
  const std::string gpu = device_for(spec, request.choice.device);
  // Who resumes has begun before; with workers the GPU is elsewhere.
  if (stop.baseline.empty() || device::is_virtual(gpu) || request.resume || request.executor.divided())
    return std::optional<TuneStop>();
  const auto slowest = slowest_beside(request, stop.baseline, gpu, context);
  if (!slowest && slowest.error().exit_code == kInterrupted) return slowest.error();
  if (!slowest) {
    if (context.listener != nullptr)
      context.listener->note(
          fmt::format("not compared with '{}' before the search: {}", stop.baseline, slowest.error().message));
    return std::optional<TuneStop>();
  }
  if (!*slowest || (*slowest)->speed >= kStopBelow) return std::optional<TuneStop>();
  stop.shape = (*slowest)->shape;
  stop.speed = (*slowest)->speed;
  stop.compared_s = seconds_since(begun);
  stop.saved = saved_evaluations((*slowest)->measured, evaluations_of(spec, request));
  ASSAY_TRY(stop, stopped(spec, request, std::move(stop), gpu, context));
  return std::optional(std::move(stop));
}

std::string to_json(const TuneStop& stop) {
  json document = document_head("tune");
  document["kernel"] = stop.kernel;
  document["stopped"] = tune_stop_document(stop);
  document["diagnosis"] = stop.diagnosis.details->document;
  if (stop.attempt) document["attempt"] = *stop.attempt;
  return document_text(document);
}

}  // namespace assay::work
