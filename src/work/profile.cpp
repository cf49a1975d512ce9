// SPDX-License-Identifier: MIT
#include "assay/profile.hpp"

#include <fmt/format.h>

#include "base/progress.hpp"
#include "check/cases.hpp"
#include "report/profile_document.hpp"
#include "spec/launch.hpp"
#include "spec/shape.hpp"
#include "work/counting.hpp"
#include "work/document.hpp"
#include "work/kernel.hpp"
#include "work/ncu_profile.hpp"
#include "work/profile_details.hpp"
#include "work/recording.hpp"
#include "work/verdict.hpp"

namespace assay::work {
namespace {

Result<check::Case> chosen_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                const ProfileRequest& request) {
  check::Case test;
  test.seed = request.seed;
  if (request.shape.empty()) {
    ASSAY_TRY(test.shape, countable_shape(spec, configuration));
  } else {
    ASSAY_TRY(test.shape, spec::parse_shape(spec, request.shape));
  }
  const std::string why = check::why_not(spec, configuration, test.shape);
  if (!why.empty())
    return Error{fmt::format("{} cannot be run: {}", test.shape.text(), why), {}, "choose another --shape"};
  return test;
}

Result<profiling::KernelResources> resources_of(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                                const spec::Shape& shape, const Runnable& runnable,
                                                const std::string& device) {
  profiling::KernelResources resources;
  const std::vector<build::TargetUsage> usages = {{runnable.built.target, runnable.built.resources}};
  const std::vector<spec::Shape> shapes = {shape};
  ASSAY_TRY(const std::vector<build::LaunchFit> fits, build::launch_fits(spec, configuration, shapes, usages));
  for (const build::LaunchFit& fit : fits) {
    if (const build::ResourceUsage* usage = build::find_entry(runnable.built.resources, fit.entry))
      resources.usage = *usage;
    for (const build::ModelFit& model : fit.models) {
      if (fmt::format("vgpu:{}", model.model->id) == device) resources.occupancy = model.occupancy;
    }
  }
  if (spec.problem.flops) {
    ASSAY_TRY(const spec::Bindings names, spec::bind(spec, configuration, shape));
    if (const auto flops = spec.problem.flops->evaluate(names); flops && flops->is_number())
      resources.flops = flops->as_double();
  }
  return resources;
}

Result<gpu::LaunchCounters> count(const spec::KernelSpec& spec, const Runnable& runnable, const check::Case& test) {
  check::Worker::Options worker_options = runnable.worker;
  worker_options.setup.count = true;
  worker_options.setup.compare = false;
  worker_options.setup.checks = {gpu::kMemcheck};  // a kernel with bad accesses has no counts worth reading
  ASSAY_TRY(const std::unique_ptr<check::Worker> worker, check::Worker::start(std::move(worker_options)));
  check::CaseResult result = worker->run(test);
  ASSAY_CHECK(check_cancelled(runnable.worker.context));
  if (auto error = no_verdict(spec, result)) return *std::move(error);
  if (!result.passed()) {
    Error error{
        fmt::format("{}: {}", name(result.outcome), result.message), {}, result.hint, exit_code(result.outcome)};
    if (error.hint.empty()) error.hint = "assay sanitize shows what is wrong";
    return error;
  }
  if (!result.counters)
    return Error{"this device does not count", {}, "choose a virtual GPU with --device vgpu:...", ExitCode::usage};
  return std::move(*result.counters);
}

Result<ProfileReport> profile_one(const ProfileRequest& request, const Context& context,
                                  const std::shared_ptr<ProfileDetails>& details, const std::string& device,
                                  Recording& recording) {
  const spec::KernelSpec& spec = details->spec;
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, request.choice.configuration));
  ASSAY_TRY(const check::Case test, chosen_case(spec, configuration, request));
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, device, request.limits, context));
  profiling::Profile& result = details->profile;
  ASSAY_TRY(result.entry, first_kernel(spec, configuration, test.shape, runnable));
  result.shape = test.shape.text();
  result.device = device;
  ASSAY_TRY(result.counters, count(spec, runnable, test));
  ASSAY_TRY(const profiling::KernelResources resources,
            resources_of(spec, configuration, test.shape, runnable, device));
  result.figures = profiling::figures(result.counters.total, resources);
  if (request.with_ncu) measure_under_ncu({spec, configuration, request.limits, test, {}}, context, result);
  details->document = document_head("profile", spec, configuration.id(), device);
  details->document.update(report::profile_document(result));
  details->document["ptx"] = runnable.built.ptx.string();
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, runnable.built);
  attempt.configuration = configuration.id();
  attempt.shape = result.shape;
  attempt.verdict = "profiled";
  ASSAY_CHECK(recording.write(std::move(attempt), details->document));
  ProfileReport report;
  report.kernel = spec.kernel.name;
  report.configuration = configuration.id();
  report.device = device;
  report.shape = result.shape;
  report.counters = result.counters.total.flat();
  report.details = details;
  return report;
}

}  // namespace

Result<ProfileReport> profile(const ProfileRequest& request, const Context& context) {
  const auto details = std::make_shared<ProfileDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const std::string device, virtual_device_for(details->spec, request.choice.device));
  if (!device::is_virtual(device))
    return Error{fmt::format("{} does not count", device),
                 {},
                 "choose a virtual GPU with --device vgpu:...; --with ncu measures on the GPU beside it"};
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::profile, &details->spec, request.choice.configuration,
                                                  device, request.seed}));
  return recording.close(profile_one(request, context, details, device, recording));
}

std::string to_json(const ProfileReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
