// SPDX-License-Identifier: MIT
#include "assay/bench.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "work/bench_details.hpp"
#include "work/document.hpp"
#include "work/goal.hpp"
#include "work/measuring.hpp"

namespace assay::work {
namespace {

// The first baseline is the yardstick. What is wrong has no speed.
bool far_below(const BenchCase& measured, double stop_below) {
  const std::vector<ContenderTime>& all = measured.contenders;
  return all.size() > 1 && all[0].good && all[1].speedup && *all[1].speedup < stop_below;
}

Result<void> bench_one(const spec::KernelSpec& spec, const BenchRequest& request, const Context& context,
                       BenchListener* listener, Recording& recording, UnfinishedWork* longer, KernelBench& result) {
  const KernelChoice& choice = request.choice;
  ASSAY_TRY(Bench bench, prepare_bench(spec,
                                       {choice.configuration, choice.device, request.baselines, request.candidate,
                                        request.measuring, request.seed},
                                       context));
  result.configuration = bench.request.configuration.id();
  result.gpu = bench.request.model.name;
  if (listener != nullptr) listener->on_kernel(result);
  const double bandwidth = bench.request.model.memory_bandwidth_gb_per_s;
  const auto on_case = [&](const report::BenchCase& judged, std::optional<int64_t> attempt) -> Result<void> {
    if (attempt && !request.save.empty() && recording.ledger() != nullptr)
      ASSAY_CHECK(recording.ledger()->set_baseline(
          fmt::format("{}/{}/{}", request.save, spec.kernel.name, judged.measured.shape), *attempt));
    result.cases.push_back(public_case(spec.kernel.name, judged, attempt, bandwidth));
    if (listener != nullptr) listener->on_case(result.cases.back());
    return {};
  };
  bench.request.enough = [&] { return !result.cases.empty() && far_below(result.cases.back(), request.stop_below); };
  ASSAY_TRY(const std::string work, bench_work(bench));
  ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), work));
  if (resumption.size() > 0 && context.listener != nullptr)
    context.listener->note(fmt::format("{}: {} were measured before the interruption", spec.kernel.name,
                                       counted(resumption.size(), "shape")));
  ASSAY_CHECK(run_bench(bench, compare_options(request.seed, bench, recording), recording, on_case, &resumption));
  result.shapes_left = bench.request.shapes.size() - std::min(result.cases.size(), bench.request.shapes.size());
  ASSAY_CHECK(resumption.finish(longer));
  ASSAY_TRY(result.goal, judge_goal(spec, evidence_of(result.cases)));
  if (listener != nullptr && !result.goal.empty()) listener->on_goal(result);
  return {};
}

}  // namespace

nlohmann::json document_of(const KernelBench& kernel) {
  nlohmann::json document = document_head("bench");
  document["kernel"] = kernel.kernel;
  document["specification"] = kernel.specification;
  document["configuration"] = kernel.configuration;
  document["device"] = kernel.device;
  document["gpu"] = kernel.gpu;
  document["seed"] = kernel.seed;
  document["cases"] = nlohmann::json::array();
  for (const BenchCase& each : kernel.cases) {
    nlohmann::json measured = report::bench_case_document(each.details->judged, true);
    if (each.attempt) measured["attempt"] = *each.attempt;
    document["cases"].push_back(std::move(measured));
  }
  if (kernel.shapes_left > 0) document["shapes_left"] = kernel.shapes_left;
  if (!kernel.goal.empty()) document["goal"] = goal_document(kernel.goal);
  return document;
}

GoalEvidence evidence_of(const std::vector<BenchCase>& cases) {
  GoalEvidence evidence;
  for (const BenchCase& each : cases) {
    evidence.cases.push_back(each.details->judged);
    evidence.memory_gb_per_s = each.details->memory_gb_per_s;
  }
  return evidence;
}

BenchCase public_case(const std::string& kernel, report::BenchCase judged, std::optional<int64_t> attempt,
                      double memory_gb_per_s) {
  BenchCase shown;
  shown.kernel = kernel;
  shown.shape = judged.measured.shape;
  shown.attempt = attempt;
  for (size_t i = 0; i < judged.measured.contenders.size(); ++i) {
    const measure::ContenderResult& contender = judged.measured.contenders[i];
    ContenderTime time;
    time.name = contender.name;
    time.good = contender.good();
    time.objection = contender.objection();
    time.device_bytes = contender.device_bytes;
    if (contender.time_us) {
      time.p50_us = contender.time_us->p50;
      time.p90_us = contender.time_us->p90;
    }
    if (const auto& comparison = judged.comparisons[i]) {
      time.speedup = 1 / comparison->ratio;
      time.verdict = to_string(comparison->verdict);
    }
    shown.contenders.push_back(std::move(time));
  }
  shown.details = std::make_shared<BenchCaseDetails>(BenchCaseDetails{std::move(judged), memory_gb_per_s});
  return shown;
}

Result<BenchReport> bench(const BenchRequest& request, const Context& context, BenchListener* listener) {
  return bench_as_part(request, context, nullptr, listener);
}

Result<BenchReport> bench_as_part(const BenchRequest& request, const Context& context, UnfinishedWork* longer,
                                  BenchListener* listener) {
  ASSAY_TRY(const std::vector<spec::KernelSpec> specs, load_kernels(request.choice.kernel));
  ASSAY_TRY(const MeasuredDevice device, measured_device(request.choice.device, "bench"));
  BenchReport report;
  for (const spec::KernelSpec& spec : specs) {
    KernelBench kernel;
    kernel.kernel = spec.kernel.name;
    kernel.specification = spec.file.string();
    kernel.device = device.name;
    kernel.seed = request.seed;
    ASSAY_TRY(Recording recording,
              Recording::open(request.record, context,
                              {ledger::Kind::measure, &spec, request.choice.configuration, device.name, request.seed}));
    ASSAY_CHECK(recording.close(bench_one(spec, request, context, listener, recording, longer, kernel)));
    for (const BenchCase& each : kernel.cases) {
      if (!each.contenders.front().good) report.exit_code = ExitCode::incorrect;
    }
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

std::string to_json(const BenchReport& report) {
  if (report.kernels.size() == 1) return document_text(document_of(report.kernels.front()));
  nlohmann::json document = document_head("bench");
  document["kernels"] = nlohmann::json::array();
  for (const KernelBench& kernel : report.kernels) document["kernels"].push_back(document_of(kernel));
  return document_text(document);
}

}  // namespace assay::work
