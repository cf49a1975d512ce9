// SPDX-License-Identifier: MIT
// assay profile: counters of the virtual GPU, in all and for each source line; beside them Nsight Compute's.
#include "diagnose/profile.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/cases.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/counting.hpp"
#include "cli/profile_text.hpp"
#include "cli/recording.hpp"
#include "diagnose/ncu.hpp"
#include "diagnose/tool.hpp"
#include "report/profile_document.hpp"
#include "spec/launch.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

constexpr const char* kGpu = "cuda:0";

void add_options(CommandLine& line, Options& options) {
  add_kernel(line, options);
  add_device(line, options);
  add_configuration(line, options);
  line.option("--shape", options.shape,
              "NAME=value,...: the shape; the first canonical one that is affordable otherwise");
  line.option("--lines", options.lines, "source lines in the table");
  line.option("--with", options.with, "ncu: Nsight Compute on a GPU, beside the counts");
  add_seed(line, options);
  add_limits(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

Result<check::Case> chosen_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                const Options& options) {
  check::Case test;
  test.seed = options.seed;
  if (options.shape.empty()) {
    ASSAY_TRY(test.shape, countable_shape(spec, configuration));
  } else {
    ASSAY_TRY(test.shape, spec::parse_shape(spec, options.shape));
  }
  const std::string why = check::why_not(spec, configuration, test.shape);
  if (!why.empty())
    return Error{fmt::format("{} cannot be run: {}", test.shape.text(), why), {}, "choose another --shape"};
  return test;
}

Result<diagnose::KernelResources> resources_of(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                               const spec::Shape& shape, const Runnable& runnable,
                                               const std::string& device) {
  diagnose::KernelResources resources;
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
    if (const auto flops = spec.problem.flops->evaluate(names); flops && !flops->is_dtype())
      resources.flops = flops->as_double();
  }
  return resources;
}

Result<gpu::LaunchCounters> count(const Runnable& runnable, const check::Case& test) {
  check::Worker::Options worker_options = runnable.worker;
  worker_options.setup.count = true;
  worker_options.setup.compare = false;
  worker_options.setup.check_memory = true;  // a kernel with bad accesses has no counts worth reading
  ASSAY_TRY(const std::unique_ptr<check::Worker> worker, check::Worker::start(std::move(worker_options)));
  check::CaseResult result = worker->run(test);
  if (!result.passed()) {
    Error error{fmt::format("{}: {}", name(result.outcome), result.message), {}, result.hint, ExitCode::incorrect};
    if (error.hint.empty()) error.hint = "assay sanitize shows what is wrong";
    return error;
  }
  if (!result.counters)
    return Error{"this device does not count", {}, "choose a virtual GPU with --device vgpu:...", ExitCode::usage};
  return std::move(*result.counters);
}

// The same case on the GPU, under ncu. Whatever is missing is said in the profile; the counts are good without it.
void measure(const spec::KernelSpec& spec, const spec::Configuration& configuration, const Options& options,
             const check::Case& test, diagnose::Profile& profile) {
  profile.measured_on = kGpu;
  Options on_gpu = options;
  on_gpu.device = kGpu;
  const auto runnable = make_runnable(spec, configuration, on_gpu);
  if (!runnable) {
    const auto tool = diagnose::find_tool(diagnose::kNcu);
    profile.not_measured = tool ? runnable.error() : tool.error();
    return;
  }
  diagnose::NcuRun run{
      .setup = runnable->worker.setup, .test = test, .entry = profile.entry, .time_limit = runnable->worker.time_limit};
  run.setup.compare = false;
  run.setup.check_memory = false;
  auto launch = diagnose::run_ncu(run);
  if (!launch) {
    profile.not_measured = std::move(launch).error();
    return;
  }
  profile.measured = std::move(*launch);
  for (diagnose::Figure& figure : diagnose::measured_figures(*profile.measured))
    profile.figures.push_back(std::move(figure));
}

Result<ExitCode> profile(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, options));
  ASSAY_TRY(const check::Case test, chosen_case(spec, configuration, options));
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, options));
  diagnose::Profile result;
  ASSAY_TRY(result.entry, spec::entry_name(spec, configuration, test.shape));
  result.shape = test.shape.text();
  result.device = device_name(options);
  ASSAY_TRY(result.counters, count(runnable, test));
  ASSAY_TRY(const diagnose::KernelResources resources,
            resources_of(spec, configuration, test.shape, runnable, result.device));
  result.figures = diagnose::figures(result.counters.total, resources);
  if (!options.with.empty()) measure(spec, configuration, options, test, result);
  nlohmann::json document = document_head("profile", spec, configuration, options);
  document.update(report::profile_document(result));
  ledger::Attempt attempt = recording.draft();
  attempt.configuration = configuration.id();
  attempt.shape = result.shape;
  attempt.verdict = "profiled";
  ASSAY_CHECK(recording.write(std::move(attempt), document));
  if (options.json) {
    print_document(document);
  } else {
    fmt::print("{}", profile_text(result, options.lines));
  }
  return ExitCode::good;
}

Result<ExitCode> run(const Options& given) {
  if (!given.with.empty() && given.with != "ncu")
    return Error{fmt::format("there is no profiler '{}'", given.with), {}, "--with ncu"};
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(given.kernel));
  ASSAY_TRY(const Options options, sanitizer_options(on_suitable_device(spec, given)));
  if (!device::is_virtual(device_name(options)))
    return Error{fmt::format("{} does not count", device_name(options)),
                 {},
                 "choose a virtual GPU with --device vgpu:...; --with ncu measures on the GPU beside it"};
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::profile, spec));
  return recording.close(profile(spec, options, recording));
}

}  // namespace

Command profile_command() {
  return {"profile", "counters of one case, in all and for each source line", add_options, run};
}

}  // namespace assay::cli
