// SPDX-License-Identifier: MIT
#include "assay/diagnose.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "assay/bench.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "build/artifact_cache.hpp"
#include "device/open/open_device.hpp"
#include "measure/protocol.hpp"
#include "report/profile_document.hpp"
#include "spec/choice.hpp"
#include "spec/shape.hpp"
#include "stats/quantile.hpp"
#include "work/bench_details.hpp"
#include "work/case_rates.hpp"
#include "work/device_pair.hpp"
#include "work/diagnose_details.hpp"
#include "work/document.hpp"
#include "work/gpu_watch.hpp"
#include "work/kernel.hpp"
#include "work/ncu_profile.hpp"
#include "work/page_file.hpp"
#include "work/recording.hpp"
#include "work/sweep_shapes.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

// Variables of the shape that the problem has, and whether the grid goes along them.
std::vector<diagnosis::Axis> axes_of(const spec::KernelSpec& spec, const spec::Shape& shape) {
  std::set<std::string> in_grid;
  for (const spec::StageSpec& stage : spec.stages) {
    for (const spec::Expression& extent : stage.launch.grid)
      in_grid.insert(extent.names().begin(), extent.names().end());
  }
  std::vector<diagnosis::Axis> axes;
  for (const auto& [name, value] : shape.values) {
    if (!value.is_number() || value.is_boolean()) continue;
    // Only what the outputs are as long as: an axis that is summed over cannot simply be dealt to blocks.
    const bool in_output = std::ranges::any_of(spec.arguments, [&](const spec::ArgumentSpec& argument) {
      const auto* tensor = std::get_if<spec::TensorSpec>(&argument.kind);
      if (tensor == nullptr || !spec::is_result(tensor->role)) return false;
      return std::ranges::any_of(tensor->shape, [&](const auto& extent) { return extent.names().contains(name); });
    });
    if (in_output) axes.push_back({name, value.as_double(), in_grid.contains(name)});
  }
  return axes;
}

// nvcc writes what it was asked for into the PTX: ".target sm_90, debug".
bool is_debug_build(const std::filesystem::path& ptx) {
  const auto text = read_file(ptx);
  if (!text) return false;
  const size_t at = text->find(".target");
  if (at == std::string::npos) return false;
  return std::string_view(*text).substr(at, text->find('\n', at) - at).find("debug") != std::string_view::npos;
}

// -Xptxas=-O0, -Xptxas=-v,-O0: the flag; nvcc's own -O is for the host.
std::string unoptimised_by(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (!flag.starts_with("-Xptxas=")) continue;
    for (const std::string_view word : split(std::string_view(flag).substr(8), ',')) {
      if (word == "-O0" || word == "--opt-level=0") return flag;
    }
  }
  return "";
}

diagnosis::Case advised_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                             const spec::Shape& shape, const EstimatedCase& estimated) {
  diagnosis::Case about;
  about.work = estimated.work;
  about.estimate = estimated.estimate;
  about.estimate.compulsory_bytes = diagnosis::touched_bytes(estimated.estimate, estimated.work);
  about.model = estimated.model;
  about.blocks_per_sm = estimated.blocks_per_sm;
  about.time_us = estimated.estimate.time_us;
  about.flops = estimated.flops;
  about.bytes = estimated.bytes;
  for (const spec::ResolvedArgument& argument : estimated.arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    about.argument_bytes += static_cast<double>(tensor->bytes);
    if (tensor->role == spec::Role::scratch) continue;
    about.given_bytes += static_cast<double>(tensor->bytes);
    about.float64 = about.float64 || tensor->dtype == spec::DType::f64;
    about.narrow_inputs =
        about.narrow_inputs || (tensor->role == spec::Role::input && spec::size_bytes(tensor->dtype) <= 2);
  }
  about.axes = axes_of(spec, shape);
  if (estimated.usage) {
    about.spill_bytes = estimated.usage->spill_load_bytes.value_or(0) + estimated.usage->spill_store_bytes.value_or(0);
  }
  about.debug_build = is_debug_build(estimated.ptx);
  about.unoptimised = unoptimised_by(spec::kernel_of(spec, configuration).flags);
  const CaseRates rates(*estimated.model, estimated.measured);
  about.measured_rates = rates.time();
  about.best_rates = rates.bound();
  // The floor is that of the problem: a single kernel might do what these do one after the other.
  for (const EstimatedStage& stage : estimated.stages) {
    if (stage.entry == estimated.entry) continue;
    about.estimate.compulsory_bytes += diagnosis::touched_bytes(stage.estimate, stage.work);
    about.other_flops += diagnosis::executed_flops(stage.work);
  }
  return about;
}

// The kernels of a call that has several, each with its part of the time. Operations belong to the one that takes
// longest; what bytes must move is what each one touches.
std::vector<diagnosis::Case> stages_of(const diagnosis::Case& whole, const EstimatedCase& estimated) {
  std::vector<diagnosis::Case> stages;
  for (const EstimatedStage& stage : estimated.stages) {
    diagnosis::Case& about = stages.emplace_back(whole);
    about.stage = stage.name;
    about.kernels = static_cast<int>(estimated.stages.size());
    about.work = stage.work;
    about.estimate = stage.estimate;
    about.estimate.compulsory_bytes = diagnosis::touched_bytes(stage.estimate, stage.work);
    about.blocks_per_sm = stage.blocks_per_sm;
    about.time_us = whole.time_us * stage.estimate.time_us / estimated.estimate.time_us;
    about.bytes = about.other_flops = 0;
    if (stage.entry != estimated.entry) about.flops = about.baseline_bytes = 0;
    about.spill_bytes =
        stage.usage ? stage.usage->spill_load_bytes.value_or(0) + stage.usage->spill_store_bytes.value_or(0) : 0;
  }
  return stages;
}

// A case on the GPU: the candidate's median, the memory of its call, and what there is of a baseline beside it.
struct MeasuredShape {
  double time_us = 0;
  std::optional<uint64_t> device_bytes;
  std::optional<ContenderTime> baseline;
  GpuConditions gpu;
  std::string cache{};  // as --cache of assay bench names it
};

// The clock that samples ran at, beside what was read meanwhile.
void add_clock(const BenchCase& measured, GpuConditions& gpu) {
  std::vector<double> clocks;
  for (const judge::Batch& batch : measured.details->judged.measured.candidate().batches) {
    if (batch.clock_mhz && *batch.clock_mhz > 0) clocks.push_back(*batch.clock_mhz);
  }
  if (!clocks.empty()) gpu.clock_mhz = stats::median_of(clocks);
}

Result<MeasuredShape> measure_shape(const spec::KernelSpec& spec, const DiagnoseRequest& request,
                                    const std::string& shape, measure::Cache cache, const std::string& gpu,
                                    const std::string& baseline, const Context& context) {
  BenchRequest bench;
  bench.choice = {spec.file.string(), request.choice.configuration, gpu};
  bench.measuring.shape = shape;
  bench.measuring.cache = measure::name(cache);
  bench.seed = request.seed;
  bench.record = request.record;
  if (!baseline.empty()) bench.baselines = {baseline};
  GpuWatch watch(gpu);
  ASSAY_TRY(const BenchReport report, work::bench(bench, context));
  const BenchCase& measured = report.kernels.front().cases.front();
  const ContenderTime& candidate = measured.contenders.front();
  if (!candidate.good || !candidate.p50_us) return Error{candidate.objection};
  MeasuredShape seen{*candidate.p50_us, candidate.device_bytes, std::nullopt, watch.conditions()};
  add_clock(measured, seen.gpu);
  if (measured.contenders.size() > 1) seen.baseline = measured.contenders[1];
  return seen;
}

json advice_document(const diagnosis::Advice& advice) {
  json document = {{"rule", advice.rule},
                   {"title", advice.title},
                   {"evidence", advice.evidence.facts},
                   {"cap_us", advice.cap_us},
                   {"remedy", advice.remedy}};
  if (!advice.stage.empty()) document["stage"] = advice.stage;
  if (advice.evidence.line) {
    document["file"] = advice.evidence.line->file;
    document["line"] = advice.evidence.line->line;
    document["line_share"] = advice.evidence.line_share;
  }
  return document;
}

json memory_document(const CallMemory& memory) {
  json document = {{"kernel_bytes", memory.kernel_bytes}};
  if (!memory.baseline.empty()) {
    document["baseline"] = memory.baseline;
    document["baseline_bytes"] = memory.baseline_bytes ? json(*memory.baseline_bytes) : json();
  }
  return document;
}

json conditions_document(const GpuConditions& gpu) {
  const auto known = [](const std::optional<double>& value) { return value ? json(*value) : json(); };
  return {{"clock_mhz", known(gpu.clock_mhz)},
          {"power_w", known(gpu.power_w)},
          {"temperature_c", known(gpu.temperature_c)},
          {"throttled", gpu.throttled.empty() ? json() : json(gpu.throttled)}};
}

class Diagnoser {
 public:
  Diagnoser(const DiagnoseRequest& request, const Context& context, std::shared_ptr<DiagnoseDetails> details,
            std::string device, std::string gpu, Recording& recording)
      : request_(request),
        context_(context),
        details_(std::move(details)),
        spec_(details_->spec),
        device_(std::move(device)),
        gpu_(std::move(gpu)),
        recording_(recording) {}

  Result<DiagnoseReport> run() {
    ASSAY_TRY(configuration_, chosen_configuration(spec_, request_.choice.configuration));
    ASSAY_TRY(const spec::Shape shape,
              request_.shape.empty() ? spec::first_shape(spec_) : spec::parse_shape(spec_, request_.shape));
    std::vector<spec::Shape> swept;
    if (!request_.sweep.empty()) {
      ASSAY_TRY(const Sweep wanted, parse_sweep(request_.sweep));
      ASSAY_TRY(swept, sweep_shapes(spec_, shape, wanted));
    }
    ASSAY_CHECK(diagnose_shape(shape));
    if (!swept.empty()) ASSAY_CHECK(sweep(swept));
    ASSAY_CHECK(write());
    report_.details = details_;
    return std::move(report_);
  }

 private:
  Result<EstimatedCase> counted(const spec::Shape& shape) {
    EstimatingRequest how{device_, request_.seed, request_.blocks, request_.limits};
    how.several = true;
    how.measured = request_.rates ? std::optional(*request_.rates) : stored_rates(recording_, device_);
    return estimate_case(spec_, configuration_, shape, how, context_);
  }

  // A measurement that fails leaves the diagnosis with the estimate, and says why.
  Result<std::optional<MeasuredShape>> measure(const std::string& shape, const std::string& baseline,
                                               diagnosis::Case& about) {
    if (gpu_.empty()) return std::optional<MeasuredShape>();
    if (!l2_bytes_) {
      ASSAY_TRY(const std::unique_ptr<device::Device> device, device::open_device(gpu_));
      l2_bytes_ = device->model().l2_bytes;
    }
    const auto bytes = static_cast<uint64_t>(about.argument_bytes);
    const measure::Cache cache = measure::rotating_or_warm({}, bytes, static_cast<uint64_t>(*l2_bytes_)).cache;
    auto seen = measure_shape(spec_, request_, shape, cache, gpu_, baseline, context_);
    if (!seen && !baseline.empty() && seen.error().exit_code != kInterrupted) {
      // Perhaps the baseline cannot be had here: the kernel alone can be measured all the same.
      details_->baseline_not_measured = seen.error().message;
      seen = measure_shape(spec_, request_, shape, cache, gpu_, "", context_);
    }
    if (!seen && seen.error().exit_code == kInterrupted) return seen.error();
    if (!seen) {
      details_->not_measured = seen.error().message;
      return std::optional<MeasuredShape>();
    }
    seen->cache = measure::name(cache);
    about.time_us = seen->time_us;
    about.measured = true;
    return std::optional(*std::move(seen));
  }

  // What a call holds, and what one of the baseline does: measured, or else profiled.
  void compare_memory(const std::optional<MeasuredShape>& seen, diagnosis::Case& about) {
    CallMemory& memory = report_.memory;
    if (seen && seen->device_bytes) about.argument_bytes = static_cast<double>(*seen->device_bytes);
    memory.kernel_bytes = static_cast<uint64_t>(about.argument_bytes);
    if (details_->baseline) {
      memory.baseline = details_->baseline->name;
      memory.baseline_bytes = details_->baseline->device_bytes;
    }
    if (seen && seen->baseline && seen->baseline->good) {
      memory.baseline = seen->baseline->name;
      if (seen->baseline->device_bytes) memory.baseline_bytes = seen->baseline->device_bytes;
    } else if (seen && seen->baseline) {
      details_->baseline_not_measured = seen->baseline->objection;
    }
    about.baseline = memory.baseline;
    about.baseline_bytes = static_cast<double>(memory.baseline_bytes.value_or(0));
  }

  Result<void> profile(const spec::Shape& shape) {
    if (!request_.with_ncu) return {};
    ASSAY_TRY(report_.kept, kept_folder(shape.text()));
    const std::filesystem::path folder = report_.kept;
    NcuProfiling wanted{spec_, configuration_, request_.limits, {}, {folder / "kernel.ncu-rep", folder / "kernel.csv"}};
    wanted.test.shape = shape;
    wanted.test.seed = request_.seed;
    profiling::Profile& profile = details_->profile.emplace();
    profile.entry = details_->estimated.entry;
    profile.shape = shape.text();
    profile.device = device_;
    measure_under_ncu(wanted, context_, profile);
    ASSAY_CHECK(check_cancelled(context_));
    return profile_beside(shape);
  }

  // The same kernel, shape and baseline have one folder: the newest reports are in it.
  Result<std::string> kept_folder(const std::string& shape) {
    std::filesystem::path folder = request_.keep;
    if (folder.empty()) {
      ASSAY_TRY(const std::string specification, read_file(spec_.file));
      Hasher hasher;
      hasher.add("ncu").add(specification).add(configuration_.id()).add(shape).add(request_.baseline);
      folder = build::ArtifactCache::default_folder() / "profiles" / hasher.hex();
    }
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
      return Error{
          fmt::format("{} cannot be made: {}", folder.string(), failed.message()), {}, "choose another --keep"};
    return std::filesystem::absolute(folder).string();
  }

  // The baseline under the same tool: whatever is missing is said, and the diagnosis is good without it.
  Result<void> profile_beside(const spec::Shape& shape) {
    const std::string name =
        request_.baseline.empty() && !spec_.baselines.empty() ? spec_.baselines.front().name : request_.baseline;
    if (name.empty()) return {};
    if (!details_->profile->measured) {
      details_->no_baseline = "the kernel itself was not profiled";
      return {};
    }
    BaselineProfileRequest wanted;
    wanted.baseline = name;
    wanted.configuration = request_.choice.configuration;
    wanted.gpu = details_->profile->measured_on;
    wanted.shape = shape;
    wanted.seed = request_.seed;
    wanted.time_limit = std::chrono::milliseconds(static_cast<int64_t>(request_.limits.time_s * 1000));
    const std::filesystem::path folder = report_.kept;
    wanted.kept = {folder / "baseline.ncu-rep", folder / "baseline.csv"};
    auto baseline = profile_baseline(spec_, wanted, context_);
    if (!baseline && baseline.error().exit_code == kInterrupted) return baseline.error();
    if (!baseline) {
      details_->no_baseline = baseline.error().message;
      return {};
    }
    report_.baseline = baseline->name;
    details_->differences = profiling::differences(*details_->profile->measured, baseline->launch, "the baseline");
    details_->baseline = std::move(*baseline);
    for (const profiling::NcuDifference& each : details_->differences) report_.differences.push_back(each.sentence);
    return {};
  }

  Result<void> diagnose_shape(const spec::Shape& shape) {
    ASSAY_TRY(details_->estimated, counted(shape));
    diagnosis::Case about = advised_case(spec_, configuration_, shape, details_->estimated);
    ASSAY_TRY(const std::optional<MeasuredShape> seen, measure(shape.text(), request_.baseline, about));
    if (seen) report_.cache = seen->cache;
    ASSAY_CHECK(profile(shape));
    compare_memory(seen, about);
    const std::vector<diagnosis::Case> stages = stages_of(about, details_->estimated);
    details_->diagnosis = stages.empty() ? diagnosis::diagnose(about) : diagnosis::diagnose(about, stages);
    if (details_->estimated.measured) report_.rates_measured = details_->estimated.measured->time;
    const diagnosis::Diagnosis& diagnosis = details_->diagnosis;
    report_.kernel = spec_.kernel.name;
    report_.configuration = configuration_.id();
    report_.device = device_;
    report_.shape = details_->estimated.shape;
    const bool profiled = details_->profile && details_->profile->measured;
    report_.known = about.measured ? (profiled ? "counted, measured and profiled" : "counted and measured")
                                   : (profiled ? "counted, estimated and profiled" : "counted and estimated");
    report_.time_us = diagnosis.time_us;
    report_.measured = diagnosis.measured;
    report_.floor_us = diagnosis.floor.time_us;
    report_.floor_by = diagnosis.floor.by;
    report_.limiter = about.estimate.limiter;
    for (const diagnosis::Advice& advice : diagnosis.advice) {
      DiagnosedFinding finding{
          advice.rule, advice.stage, advice.title, advice.evidence.facts, "", 0, advice.cap_us, advice.remedy, {}};
      if (advice.evidence.line) {
        finding.file = advice.evidence.line->file;
        finding.line = advice.evidence.line->line;
      }
      constexpr size_t kLines = 2;
      finding.baseline = profiling::differences_for_rule(advice.rule, details_->differences, kLines);
      report_.findings.push_back(std::move(finding));
    }
    return {};
  }

  Result<SweepPoint> swept(const spec::Shape& shape) {
    ASSAY_TRY(const EstimatedCase estimated, counted(shape));
    diagnosis::Case about = advised_case(spec_, configuration_, shape, estimated);
    ASSAY_TRY(const std::optional<MeasuredShape> seen, measure(shape.text(), "", about));
    const double seconds = about.time_us * 1e-6;
    return SweepPoint{shape.text(),
                      about.time_us,
                      about.measured,
                      diagnosis::floor_of(about).time_us,
                      estimated.estimate.limiter,
                      estimated.flops / seconds / 1e12,
                      estimated.bytes / seconds / 1e9,
                      seen ? seen->gpu : GpuConditions()};
  }

  // A shape that cannot be run, as one that is too large, ends it: what came before stays.
  Result<void> sweep(const std::vector<spec::Shape>& shapes) {
    Progress progress(context_, "sweep", shapes.size());
    for (const spec::Shape& shape : shapes) {
      auto point = swept(shape);
      if (!point && (report_.sweep.empty() || point.error().exit_code == kInterrupted)) return point.error();
      if (!point) {
        report_.sweep_ended = fmt::format("{}: {}", shape.text(), point.error().message);
        return {};
      }
      report_.sweep.push_back(std::move(*point));
      progress.advance(shape.text());
      ASSAY_CHECK(check_cancelled(context_));
    }
    return {};
  }

  Result<void> write() {
    json& document = details_->document;
    document = document_head("diagnose", spec_, report_.configuration, device_);
    document.update(estimate_document(details_->estimated));
    document["known"] = report_.known;
    document["time_us"] = report_.time_us;
    document["measured"] = report_.measured;
    document["floor"] = {{"time_us", report_.floor_us}, {"by", report_.floor_by}, {"alone_us", json::object()}};
    for (const auto& [part, time_us] : details_->diagnosis.floor.alone) document["floor"]["alone_us"][part] = time_us;
    document["findings"] = json::array();
    for (size_t i = 0; i < report_.findings.size(); ++i) {
      document["findings"].push_back(advice_document(details_->diagnosis.advice[i]));
      if (!report_.findings[i].baseline.empty()) document["findings"].back()["baseline"] = report_.findings[i].baseline;
    }
    if (!report_.cache.empty()) document["cache"] = report_.cache;
    if (!details_->not_measured.empty()) document["not_measured"] = details_->not_measured;
    if (!details_->baseline_not_measured.empty()) document["baseline_not_measured"] = details_->baseline_not_measured;
    document["device_memory"] = memory_document(report_.memory);
    write_profile(document);
    for (const SweepPoint& point : report_.sweep) {
      document["sweep"].push_back({{"shape", point.shape},
                                   {"time_us", point.time_us},
                                   {"known", point.measured ? "measured" : "estimated"},
                                   {"floor_us", point.floor_us},
                                   {"limiter", point.limiter},
                                   {"tflops", point.tflops},
                                   {"gb_per_s", point.gb_per_s}});
      if (point.measured) document["sweep"].back()["gpu"] = conditions_document(point.gpu);
    }
    for (size_t i = 1; i < report_.sweep.size(); ++i) {
      const std::string& before = report_.sweep[i - 1].limiter;
      if (before != report_.sweep[i].limiter)
        document["limiter_changes"].push_back(
            {{"shape", report_.sweep[i].shape}, {"from", before}, {"to", report_.sweep[i].limiter}});
    }
    if (!report_.sweep_ended.empty()) document["sweep_ended"] = report_.sweep_ended;
    ledger::Attempt attempt = recording_.draft();
    attempt.configuration = report_.configuration;
    attempt.shape = report_.shape;
    attempt.verdict = report_.findings.empty() ? "nothing found" : report_.findings.front().rule;
    ASSAY_CHECK(recording_.write(std::move(attempt), document));
    if (request_.page && recording_.ledger() != nullptr && document.contains("attempt")) {
      report_.page = write_page(*recording_.ledger(), document["attempt"].get<int64_t>(), context_).value_or("");
      if (!report_.page.empty()) document["page"] = report_.page;
    }
    return {};
  }

  // Both reports as they were imported, and where they lie.
  void write_profile(json& document) const {
    if (details_->profile) {
      document["profile"] = report::profile_document(*details_->profile);
      // What was counted is in the document already, from some blocks that stand for all.
      for (const char* counted : {"counters", "lines", "metrics", "counted_on"}) document["profile"].erase(counted);
    }
    if (!report_.kept.empty()) document["kept"] = report_.kept;
    if (!details_->no_baseline.empty()) document["no_baseline"] = details_->no_baseline;
    if (!details_->baseline) return;
    const BaselineProfile& baseline = *details_->baseline;
    json figures = json::object();
    for (const auto& [metric, value] : baseline.launch.metrics) figures[metric] = value.value;
    json differences = json::array();
    for (const profiling::NcuDifference& each : details_->differences)
      differences.push_back({{"metric", each.metric},
                             {"name", each.name},
                             {"kernel", each.own},
                             {"baseline", each.other},
                             {"sentence", each.sentence}});
    document["baseline"] = {
        {"name", baseline.name},       {"variant", baseline.variant},   {"kernel", baseline.launch.kernel},
        {"kernels", baseline.kernels}, {"metrics", std::move(figures)}, {"differences", std::move(differences)}};
  }

  const DiagnoseRequest& request_;
  const Context& context_;
  const std::shared_ptr<DiagnoseDetails> details_;
  const spec::KernelSpec& spec_;
  const std::string device_;
  const std::string gpu_;            // empty: nothing is measured
  std::optional<int64_t> l2_bytes_;  // of that GPU, once it was asked
  Recording& recording_;
  spec::Configuration configuration_;
  DiagnoseReport report_;
};

}  // namespace

Result<DiagnoseReport> diagnose(const DiagnoseRequest& request, const Context& context) {
  const auto details = std::make_shared<DiagnoseDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const DevicePair devices, device_pair(details->spec, request.choice.device, request.measure));
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::profile, &details->spec, request.choice.configuration,
                                                  devices.main(), request.seed}));
  return recording.close(Diagnoser(request, context, details, devices.counts, devices.measures, recording).run());
}

std::string to_json(const DiagnoseReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
