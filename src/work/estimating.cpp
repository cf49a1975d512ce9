// SPDX-License-Identifier: MIT
#include "work/estimating.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/repository.hpp"
#include "build/fit.hpp"
#include "check/cases.hpp"
#include "check/tracing.hpp"
#include "check/work_json.hpp"
#include "spec/launch.hpp"
#include "work/case_rates.hpp"
#include "work/kernel.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

Result<std::vector<check::TracedLaunch>> traced(const spec::KernelSpec& spec, const Runnable& runnable,
                                                const spec::Shape& shape, const EstimatingRequest& request) {
  check::TracingRequest tracing{runnable.worker.setup,  {}, request.blocks, request.several, runnable.worker.time_limit,
                                runnable.worker.context};
  tracing.setup.checks = {gpu::kMemcheck};  // a kernel with bad accesses has no time worth knowing
  tracing.test.shape = shape;
  tracing.test.seed = request.seed;
  ASSAY_TRY(std::vector<check::TracedLaunch> launches, check::trace(tracing));
  // Names of files in the PTX are relative to the source's folder.
  const SourceNames names(spec.source_path().parent_path());
  for (check::TracedLaunch& launch : launches) {
    for (gpu::LineWork& line : launch.work.lines) line.line.file = names.shown(line.line.file);
  }
  return launches;
}

double formula(const std::optional<spec::Expression>& expression, const spec::Bindings& names) {
  if (!expression) return 0;
  const auto value = expression->evaluate(names);
  return value && value->is_number() ? value->as_double() : 0;
}

Result<void> add_resources(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                           const spec::Shape& shape, const Runnable& runnable, EstimatedCase& result) {
  const std::vector<build::TargetUsage> usages = {{runnable.built.target, runnable.built.resources}};
  const std::vector<spec::Shape> shapes = {shape};
  ASSAY_TRY(const std::vector<build::LaunchFit> fits, build::launch_fits(spec, configuration, shapes, usages));
  for (const build::LaunchFit& fit : fits) {
    if (const build::ResourceUsage* usage = build::find_entry(runnable.built.resources, fit.entry))
      result.usage = *usage;
    for (const build::ModelFit& model : fit.models) {
      if (model.model == result.model) result.occupancy = model.occupancy;
    }
  }
  return {};
}

// Without the compiler's report: what threads and the shared memory of the launch allow.
int guessed_blocks_per_sm(const gpu::GpuModel& model, const gpu::LaunchWork& work, int64_t dynamic_shared_bytes) {
  gpu::BlockNeeds needs;
  needs.threads = static_cast<int64_t>(work.block.volume());
  constexpr int kUsualRegisters = 32;
  needs.registers_per_thread = kUsualRegisters;
  needs.static_shared_bytes = 0;
  needs.dynamic_shared_bytes = dynamic_shared_bytes;
  return gpu::occupancy(model, needs).blocks_per_sm.value_or(1);
}

int blocks_per_sm(EstimatedCase& result, int64_t dynamic_shared_bytes) {
  if (result.occupancy && result.occupancy->blocks_per_sm) {
    result.occupancy_known = true;
    return *result.occupancy->blocks_per_sm;
  }
  return guessed_blocks_per_sm(*result.model, result.work, dynamic_shared_bytes);
}

// A kernel that the file describes, with the name of its stage.
struct NamedLaunch {
  std::string name;
  spec::LaunchGeometry launch;
};

// The stages that are launched; none where a function launches the kernels.
Result<std::vector<NamedLaunch>> launched_stages(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                                 const spec::Shape& shape) {
  std::vector<NamedLaunch> launched;
  if (!spec.launch_file.empty()) return launched;
  for (const spec::StageSpec& stage : spec.stages) {
    ASSAY_TRY(const spec::LaunchGeometry geometry, spec::launch_geometry(spec, stage, configuration, shape));
    if (!geometry.empty()) launched.push_back({stage.name, geometry});
  }
  return launched;
}

spec::LaunchGeometry geometry_of(const check::TracedLaunch& launch) {
  const gpu::LaunchWork& work = launch.work;
  spec::LaunchGeometry geometry;
  geometry.grid = {work.grid.x, work.grid.y, work.grid.z};
  geometry.block = {work.block.x, work.block.y, work.block.z};
  geometry.shared_bytes = launch.shared_bytes;
  return geometry;
}

// Kernels of a call, one after the other: each with its own occupancy, limiter and time.
void estimate_stages(std::vector<check::TracedLaunch> launches, const std::vector<NamedLaunch>& described,
                     const Runnable& runnable, const CaseRates& rates, EstimatedCase& result) {
  const std::vector<build::TargetUsage> usages = {{runnable.built.target, runnable.built.resources}};
  std::vector<build::ModelFit> fits;
  for (size_t i = 0; i < launches.size(); ++i) {
    check::TracedLaunch& launch = launches[i];
    EstimatedStage& stage = result.stages.emplace_back();
    const bool is_described = i < described.size();
    stage.name = is_described && !described[i].name.empty() ? described[i].name : launch.entry;
    stage.launch = is_described ? described[i].launch : geometry_of(launch);
    stage.entry = launch.entry;
    stage.work = std::move(launch.work);
    fits.push_back(build::model_fit(*result.model, usages, stage.entry, static_cast<int64_t>(stage.work.block.volume()),
                                    stage.launch.shared_bytes));
    if (const build::ResourceUsage* usage = build::find_entry(runnable.built.resources, stage.entry))
      stage.usage = *usage;
    stage.occupancy_known = fits.back().occupancy.blocks_per_sm.has_value();
    stage.blocks_per_sm = stage.occupancy_known
                              ? *fits.back().occupancy.blocks_per_sm
                              : guessed_blocks_per_sm(*result.model, stage.work, stage.launch.shared_bytes);
  }
  std::vector<estimate::SequencedLaunch> sequenced;
  for (const EstimatedStage& stage : result.stages) sequenced.push_back({&stage.work, stage.blocks_per_sm});
  estimate::Sequence sequence = estimate::estimate_sequence(sequenced, *result.model, rates.get());
  size_t longest = 0;
  for (size_t i = 0; i < result.stages.size(); ++i) {
    result.stages[i].estimate = std::move(sequence.parts[i]);
    if (result.stages[i].estimate.time_us > result.stages[longest].estimate.time_us) longest = i;
  }
  const EstimatedStage& stage = result.stages[longest];
  result.estimate = std::move(sequence.total);
  result.entry = stage.entry;
  result.work = stage.work;
  result.occupancy = fits[longest].occupancy;
  result.occupancy_known = stage.occupancy_known;
  if (const build::ResourceUsage* usage = build::find_entry(runnable.built.resources, stage.entry))
    result.usage = *usage;
  result.launch = stage.launch;
  result.blocks_per_sm = stage.blocks_per_sm;
}

json resource_document(const estimate::Resource& resource) {
  return {{"name", resource.name},
          {"time_us", resource.time_us},
          {"share", resource.share},
          {"amount", resource.amount},
          {"unit", resource.unit}};
}

json fill_document(const spec::Fill& fill) {
  return {{"kind", spec::name(fill.kind)}, {"low", fill.low}, {"high", fill.high}};
}

json geometry_document(const spec::LaunchGeometry& launch) {
  json document = {{"grid", launch.grid}, {"block", launch.block}, {"shared_bytes", launch.shared_bytes}};
  if (launch.cluster) document["cluster"] = *launch.cluster;
  return document;
}

// What was launched, so that others can launch and measure the same.
json launch_document(const EstimatedCase& estimated) {
  json arguments = json::array();
  for (const spec::ResolvedArgument& argument : estimated.arguments) {
    json entry = {{"name", argument.name}, {"structure", argument.structure}, {"passed", argument.passed}};
    if (const spec::ResolvedTensor* tensor = argument.tensor()) {
      entry["tensor"] = {{"dtype", spec::name(tensor->dtype)},
                         {"bytes", tensor->bytes},
                         {"fill", fill_document(tensor->fill)},
                         {"output", tensor->role != spec::Role::input}};
    } else if (const spec::ResolvedScalar* scalar = argument.scalar()) {
      entry["scalar"] = scalar->encoded;
    }
    arguments.push_back(std::move(entry));
  }
  json document = geometry_document(estimated.launch);
  document["arguments"] = std::move(arguments);
  return document;
}

json figures_document(const estimate::Estimate& estimate) {
  json resources = json::array();
  for (const estimate::Resource& resource : estimate.resources) resources.push_back(resource_document(resource));
  return {{"time_us", estimate.time_us},
          {"low_us", estimate.low_us},
          {"high_us", estimate.high_us},
          {"lower_bound_us", estimate.lower_bound_us},
          {"lower_bound_by", estimate.lower_bound_by},
          {"limiter", estimate.limiter},
          {"resources", std::move(resources)},
          {"blocks_per_sm", estimate.blocks_per_sm},
          {"waves", estimate.waves},
          {"warps_per_scheduler", estimate.warps_per_scheduler},
          {"chain_cycles", estimate.chain_cycles},
          {"dram_bytes", estimate.dram_bytes},
          {"compulsory_bytes", estimate.compulsory_bytes},
          {"l2_bytes", estimate.l2_bytes},
          {"clock_mhz", estimate.clock_mhz}};
}

json stage_document(const EstimatedStage& stage) {
  json document = {{"name", stage.name},
                   {"entry", stage.entry},
                   {"estimate", figures_document(stage.estimate)},
                   {"sampled", stage.work.sampled()},
                   {"launch", geometry_document(stage.launch)},
                   {"work", check::to_json(stage.work)}};
  document["estimate"]["blocks_per_sm_known"] = stage.occupancy_known;
  return document;
}

json rates_document(const std::optional<StoredRates>& measured) {
  if (!measured) return {{"known", "model"}};
  json values = json::object();
  for (const gpu::MeasuredRate& rate : measured->rates) values[rate.name] = rate.value;
  return {{"known", "measured"},
          {"device", measured->device},
          {"gpu", measured->gpu},
          {"time", measured->time},
          {"values", std::move(values)}};
}

}  // namespace

Result<EstimatedCase> estimate_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const spec::Shape& shape, const EstimatingRequest& request,
                                    const Context& context) {
  EstimatedCase result;
  const std::string why = check::why_not(spec, configuration, shape);
  if (!why.empty()) return Error{fmt::format("{} cannot be run: {}", shape.text(), why), {}, "choose another --shape"};
  constexpr std::string_view kVirtual = "vgpu:";
  result.model = gpu::find_model(std::string_view(request.device).substr(kVirtual.size()));
  if (result.model == nullptr)
    return Error{fmt::format("there is no GPU model '{}'", request.device), {}, "assay doctor lists them"};
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, request.device, request.limits, context));
  result.shape = shape.text();
  result.target = runnable.built.target;
  result.measured = request.measured;
  ASSAY_TRY(std::vector<check::TracedLaunch> launches, traced(spec, runnable, shape, request));
  ASSAY_TRY(const spec::Bindings names, spec::bind(spec, configuration, shape));
  result.flops = formula(spec.problem.flops, names);
  result.bytes = formula(spec.problem.bytes, names);
  ASSAY_TRY(result.arguments, spec::resolve_arguments(spec, configuration, shape));
  result.ptx = runnable.built.ptx;
  const CaseRates rates(*result.model, request.measured);
  // A single stage of a file is as it says; of what a function launches, and of several, the launches themselves tell.
  if (launches.size() > 1 || spec.stages.size() != 1) {
    ASSAY_TRY(const std::vector<NamedLaunch> stages, launched_stages(spec, configuration, shape));
    estimate_stages(std::move(launches), stages, runnable, rates, result);
    if (result.stages.size() == 1) result.stages.clear();
    return result;
  }
  result.entry = launches.front().entry;
  result.work = std::move(launches.front().work);
  ASSAY_CHECK(add_resources(spec, configuration, shape, runnable, result));
  ASSAY_TRY(result.launch, spec::launch_geometry(spec, spec.stages.front(), configuration, shape));
  result.blocks_per_sm = blocks_per_sm(result, result.launch.shared_bytes);
  result.estimate = estimate::estimate(result.work, result.blocks_per_sm, *result.model, rates.get());
  return result;
}

json estimate_document(const EstimatedCase& estimated) {
  const gpu::Rates& rates = gpu::rates_of(*estimated.model);
  json figures = figures_document(estimated.estimate);
  figures.update({{"blocks_per_sm_known", estimated.occupancy_known},
                  {"flops", estimated.flops},
                  {"median_error", rates.median_error},
                  {"spread", rates.spread},
                  {"judged_on_this_gpu", rates.judged}});
  json document = {{"known", "estimated"},
                   {"shape", estimated.shape},
                   {"entry", estimated.entry},
                   {"target", estimated.target},
                   {"estimate", std::move(figures)},
                   {"rates", rates_document(estimated.measured)},
                   {"sampled", estimated.sampled()},
                   {"launch", launch_document(estimated)},
                   {"work", check::to_json(estimated.work)}};
  if (estimated.stages.empty()) return document;
  document["stages"] = json::array();
  for (const EstimatedStage& stage : estimated.stages) document["stages"].push_back(stage_document(stage));
  return document;
}

bool EstimatedCase::sampled() const {
  return stages.empty() ? work.sampled()
                        : std::ranges::any_of(stages, [](const EstimatedStage& each) { return each.work.sampled(); });
}

}  // namespace assay::work
