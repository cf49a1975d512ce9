// SPDX-License-Identifier: MIT
#include "assay/build.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/progress.hpp"
#include "build/prebuilt_artifact.hpp"
#include "device/open/open_device.hpp"
#include "spec/shape.hpp"
#include "work/build_details.hpp"
#include "work/document.hpp"
#include "work/kernel.hpp"
#include "work/recording.hpp"

namespace assay::work {
namespace {

Result<build::BuildOptions> options_of(const BuildRequest& request, const spec::KernelSpec& spec,
                                       const Context& context) {
  build::BuildOptions options;
  options.jobs = request.jobs;
  options.time_limit = std::chrono::milliseconds(static_cast<int64_t>(request.time_limit_s * 1000));
  options.context = context;
  if (!request.target.empty()) {
    options.targets = {request.target};
  } else if (!request.device.empty()) {
    ASSAY_TRY(const std::string target, device_target(spec, request.device));
    options.targets = {target};
  }
  return options;
}

// The GPU at hand, which the report is about first.
Result<void> choose_device(const BuildRequest& request, BuildDetails& details) {
  details.device = device_for(details.spec, request.device);
  ASSAY_TRY(const std::unique_ptr<device::Device> device, device::open_device(details.device));
  details.model = device->model();
  return {};
}

// Where each configuration fits, over the shapes of the specification.
Result<void> find_fits(BuildDetails& details) {
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(details.spec));
  // Results lie in the order of the configurations: there may be a hundred thousand of them.
  auto result = details.report.results.begin();
  for (const spec::Configuration& configuration : details.configurations) {
    std::vector<build::TargetUsage> usages;
    for (; result != details.report.results.end() && result->configuration == configuration; ++result) {
      if (result->usable()) usages.push_back({result->target, result->resources});
    }
    if (usages.empty()) continue;
    ASSAY_TRY(std::vector<build::LaunchFit> launches,
              build::launch_fits(details.spec, configuration, shapes, usages, &details.model));
    details.fits.push_back({&configuration, std::move(launches)});
  }
  return {};
}

ledger::Attempt attempt_of(const Recording& recording, const BuildReport& report) {
  const std::vector<build::BuildResult>& results = report.details->report.results;
  ledger::Attempt attempt = recording.draft();
  attempt.exit_code = static_cast<int>(report.exit_code);
  attempt.verdict = report.verdict;
  if (results.size() == 1) {
    describe_build(attempt, results.front());
  } else {
    attempt.configuration = fmt::format("{} artifacts", results.size());
  }
  return attempt;
}

Result<BuildReport> build_all(const BuildRequest& request, const Context& context,
                              const std::shared_ptr<BuildDetails>& details, Recording& recording) {
  const spec::KernelSpec& spec = details->spec;
  if (request.configurations.empty()) {
    ASSAY_TRY(details->configurations, spec::configurations(spec));
  } else {
    ASSAY_TRY(details->configurations, spec::matching_configurations(spec, request.configurations));
  }
  ASSAY_CHECK(choose_device(request, *details));
  ASSAY_TRY(const build::BuildOptions options, options_of(request, spec, context));
  ASSAY_TRY(details->report, build::build(spec, details->configurations, options));
  ASSAY_CHECK(check_cancelled(context));  // what was stopped with us did not fail; what was finished is in the cache
  ASSAY_CHECK(find_fits(*details));
  BuildReport report;
  report.kernel = spec.kernel.name;
  size_t usable = 0;
  for (const build::BuildResult& result : details->report.results) {
    usable += result.usable() ? 1 : 0;
    report.artifacts.push_back({result.configuration.id(), result.target, std::string(to_string(result.status)),
                                result.ptx.string(), result.cubin.string(), result.reason});
  }
  const bool failed = details->report.count(build::BuildStatus::failed) > 0;
  // A specification that does not fit what was compiled is no fault of the kernel.
  const bool mistaken = failed && std::ranges::all_of(details->report.results, [](const build::BuildResult& result) {
                          return result.status != build::BuildStatus::failed || result.mistake;
                        });
  report.exit_code = mistaken      ? ExitCode::usage
                     : failed      ? ExitCode::incorrect
                     : usable == 0 ? ExitCode::environment
                                   : ExitCode::good;
  report.verdict = failed ? "failed" : usable == 0 ? "skipped" : "good";
  details->document = report::build_document(spec, details->report, details->fits);
  details->document["verdict"] = report.verdict;
  report.details = details;
  ASSAY_CHECK(recording.write(attempt_of(recording, report), details->document));
  return report;
}

}  // namespace

Result<BuildReport> build(const BuildRequest& request, const Context& context) {
  const auto details = std::make_shared<BuildDetails>();
  ASSAY_TRY(details->spec, spec::load(request.kernel));
  // A build is for targets, not for a device.
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::build, &details->spec, request.configurations, "", /*seed=*/0}));
  return recording.close(build_all(request, context, details, recording));
}

Result<std::vector<std::string>> write_prebuilt(const std::string& kernel, const Context& context) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(kernel));
  std::vector<std::string> files;
  for (const std::string& target : spec.kernel.targets) {
    build::BuildOptions options;
    options.context = context;
    ASSAY_CHECK(build::regenerate_prebuilt(spec, target, options));
    files.push_back(build::prebuilt_ptx(spec, target).string());
  }
  return files;
}

std::string to_json(const BuildReport& report) {
  nlohmann::json document = report.details->document;
  document.update(document_head("build"));
  document["specification"] = report.details->spec.file.string();
  return document_text(document);
}

}  // namespace assay::work
