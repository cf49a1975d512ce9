// SPDX-License-Identifier: MIT
#include "report/documents.hpp"

#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/result_json.hpp"
#include "report/coverage.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

template <class T>
json or_unknown(const std::optional<T>& value) {
  return value ? json(*value) : json("unknown");
}

json resources_json(const build::ResourceUsage& usage) {
  return {{"entry", usage.entry},
          {"registers", or_unknown(usage.registers)},
          {"stack_bytes", or_unknown(usage.stack_bytes)},
          {"spill_store_bytes", or_unknown(usage.spill_store_bytes)},
          {"spill_load_bytes", or_unknown(usage.spill_load_bytes)},
          {"static_shared_bytes", or_unknown(usage.static_shared_bytes)},
          {"source", "from the compiler"}};
}

json result_json(const build::BuildResult& result) {
  json resources = json::array();
  for (const build::ResourceUsage& usage : result.resources) resources.push_back(resources_json(usage));
  return {{"configuration", result.configuration.id()},
          {"target", result.target},
          {"status", to_string(result.status)},
          {"ptx", result.ptx.string()},
          {"cubin", result.cubin.string()},
          {"compiler", result.compiler},
          {"reason", result.reason},
          {"hint", result.hint},
          {"output", result.output},
          {"timed_out", result.timed_out},
          {"seconds", std::chrono::duration<double>(result.duration).count()},
          {"resources", std::move(resources)}};
}

json fit_json(const build::ModelFit& fit) {
  json limiters = json::array();
  for (const gpu::Limiter limiter : fit.occupancy.limiters) limiters.push_back(to_string(limiter));
  return {{"gpu", fit.model->id},
          {"target", fit.target},
          {"fit", to_string(fit.occupancy.fit)},
          {"reason", fit.occupancy.reason},
          {"blocks_per_sm", or_unknown(fit.occupancy.blocks_per_sm)},
          {"occupancy_percent", or_unknown(fit.occupancy.percent)},
          {"limited_by", std::move(limiters)}};
}

}  // namespace

json build_document(const spec::KernelSpec& spec, const build::BuildReport& report,
                    const std::vector<ConfigurationFits>& fits) {
  json results = json::array();
  for (const build::BuildResult& result : report.results) results.push_back(result_json(result));
  json fit_list = json::array();
  for (const ConfigurationFits& configuration : fits) {
    for (const build::LaunchFit& launch : configuration.launches) {
      json models = json::array();
      for (const build::ModelFit& model : launch.models) models.push_back(fit_json(model));
      fit_list.push_back({{"configuration", configuration.configuration->id()},
                          {"entry", launch.entry},
                          {"shape", launch.shape},
                          {"threads", launch.threads},
                          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                          {"here", launch.here ? fit_json(*launch.here) : json()},
                          {"models", std::move(models)}});
    }
  }
  json document = {{"kernel", spec.kernel.name}, {"results", std::move(results)}, {"fits", std::move(fit_list)}};
  document["compiler"] = report.compiler ? json(*report.compiler) : json(nullptr);
  if (report.no_compiler)
    document["skipped"] = {{"reason", report.no_compiler->message}, {"hint", report.no_compiler->hint}};
  using build::BuildStatus;
  for (const BuildStatus status :
       {BuildStatus::built, BuildStatus::cached, BuildStatus::prebuilt, BuildStatus::failed, BuildStatus::skipped}) {
    document["counts"][std::string(to_string(status))] = report.count(status);
  }
  return document;
}

json sanitize_document(const check::SanitizeReport& report) {
  json cases = json::array();
  for (const check::CaseResult& result : report.results) {
    json entry = check::to_json(result);
    entry.erase("findings");  // they stand once, below
    cases.push_back(std::move(entry));
  }
  json findings = json::array();
  for (size_t i = 0; i < report.findings.size(); ++i) {
    findings.push_back(check::to_json(report.findings[i]));
    findings.back()["shape"] = report.finding_shapes[i];
  }
  json document = {{"verdict", report.clean() ? "clean" : "failed"},
                   {"findings", std::move(findings)},
                   {"occurrences", report.occurrences},
                   {"cases", std::move(cases)}};
  if (report.costs) document["check_costs"] = check::to_json(*report.costs);
  document.update(coverage_document(report.coverage));
  return document;
}

json check_document(const check::CheckReport& report) {
  json cases = json::array();
  for (const check::CaseResult& result : report.results) cases.push_back(check::to_json(result));
  json skipped = json::array();
  for (const check::SkippedShape& shape : report.skipped)
    skipped.push_back({{"shape", shape.shape.text()}, {"reason", shape.reason}});
  json document = {{"verdict", report.passed() ? "correct" : "incorrect"},
                   {"planned", report.planned},
                   {"ran", report.results.size()},
                   {"seed", report.seed},
                   {"repetitions", report.repetitions},
                   {"validated", report.validated()},
                   {"approximate_instructions", report.approximate},
                   {"fusible", report.fusible},
                   {"cases", std::move(cases)},
                   {"skipped", std::move(skipped)}};
  if (report.self_test) document["would_have_caught"] = check::to_json(*report.self_test);
  if (!report.depends_on_fmad.empty()) document["depends_on_fmad"] = report.depends_on_fmad;
  document.update(coverage_document(report.coverage));
  if (report.failure) {
    document["failure"] = check::to_json(*report.failure);
    document["shrink_evaluations"] = report.shrink_evaluations;
    document["shrunk_to_minimum"] = report.shrunk_to_minimum;
  }
  return document;
}

}  // namespace assay::report
