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
#include "work/kernel.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

Result<gpu::LaunchWork> traced(const spec::KernelSpec& spec, const Runnable& runnable, const spec::Shape& shape,
                               const EstimatingRequest& request) {
  check::TracingRequest tracing{
      runnable.worker.setup, {}, request.blocks, runnable.worker.time_limit, runnable.worker.context};
  tracing.setup.checks = {gpu::kMemcheck};  // a kernel with bad accesses has no time worth knowing
  tracing.test.shape = shape;
  tracing.test.seed = request.seed;
  ASSAY_TRY(gpu::LaunchWork work, check::trace(tracing));
  // Names of files in the PTX are relative to the source's folder.
  const SourceNames names(spec.source_path().parent_path());
  for (gpu::LineWork& line : work.lines) line.line.file = names.shown(line.line.file);
  return work;
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
int blocks_per_sm(EstimatedCase& result, int64_t dynamic_shared_bytes) {
  if (result.occupancy && result.occupancy->blocks_per_sm) {
    result.occupancy_known = true;
    return *result.occupancy->blocks_per_sm;
  }
  gpu::BlockNeeds needs;
  needs.threads = static_cast<int64_t>(result.work.block.volume());
  constexpr int kUsualRegisters = 32;
  needs.registers_per_thread = kUsualRegisters;
  needs.static_shared_bytes = 0;
  needs.dynamic_shared_bytes = dynamic_shared_bytes;
  return gpu::occupancy(*result.model, needs).blocks_per_sm.value_or(1);
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
  const spec::LaunchGeometry& launch = estimated.launch;
  json document = {{"grid", launch.grid},
                   {"block", launch.block},
                   {"shared_bytes", launch.shared_bytes},
                   {"arguments", std::move(arguments)}};
  if (launch.cluster) document["cluster"] = *launch.cluster;
  return document;
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
  ASSAY_TRY(result.entry, first_kernel(spec, configuration, shape, runnable));
  result.shape = shape.text();
  result.target = runnable.built.target;
  ASSAY_TRY(result.work, traced(spec, runnable, shape, request));
  ASSAY_CHECK(add_resources(spec, configuration, shape, runnable, result));
  ASSAY_TRY(const spec::Bindings names, spec::bind(spec, configuration, shape));
  result.flops = formula(spec.problem.flops, names);
  result.bytes = formula(spec.problem.bytes, names);
  if (!spec.stages.empty()) {
    ASSAY_TRY(result.launch, spec::launch_geometry(spec, spec.stages.front(), configuration, shape));
  }
  ASSAY_TRY(result.arguments, spec::resolve_arguments(spec, configuration, shape));
  result.ptx = runnable.built.ptx;
  result.blocks_per_sm = blocks_per_sm(result, result.launch.shared_bytes);
  result.estimate = estimate::estimate(result.work, result.blocks_per_sm, *result.model, gpu::rates_of(*result.model));
  return result;
}

json estimate_document(const EstimatedCase& estimated) {
  const estimate::Estimate& estimate = estimated.estimate;
  const gpu::Rates& rates = gpu::rates_of(*estimated.model);
  json resources = json::array();
  for (const estimate::Resource& resource : estimate.resources) resources.push_back(resource_document(resource));
  return {{"known", "estimated"},
          {"shape", estimated.shape},
          {"entry", estimated.entry},
          {"target", estimated.target},
          {"estimate",
           {{"time_us", estimate.time_us},
            {"low_us", estimate.low_us},
            {"high_us", estimate.high_us},
            {"lower_bound_us", estimate.lower_bound_us},
            {"lower_bound_by", estimate.lower_bound_by},
            {"limiter", estimate.limiter},
            {"resources", std::move(resources)},
            {"blocks_per_sm", estimate.blocks_per_sm},
            {"blocks_per_sm_known", estimated.occupancy_known},
            {"waves", estimate.waves},
            {"warps_per_scheduler", estimate.warps_per_scheduler},
            {"chain_cycles", estimate.chain_cycles},
            {"dram_bytes", estimate.dram_bytes},
            {"compulsory_bytes", estimate.compulsory_bytes},
            {"l2_bytes", estimate.l2_bytes},
            {"clock_mhz", estimate.clock_mhz},
            {"flops", estimated.flops},
            {"median_error", rates.median_error},
            {"spread", rates.spread},
            {"judged_on_this_gpu", rates.judged}}},
          {"sampled", estimated.work.sampled()},
          {"launch", launch_document(estimated)},
          {"work", check::to_json(estimated.work)}};
}

}  // namespace assay::work
