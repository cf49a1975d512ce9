// SPDX-License-Identifier: MIT
#include "cli/build_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/terminal.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Table;

template <class T>
std::string or_unknown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "unknown";
}

Table::Cell status_cell(build::BuildStatus status) {
  const bool good = status == build::BuildStatus::built || status == build::BuildStatus::cached ||
                    status == build::BuildStatus::carried;
  return {std::string(to_string(status)), good                                   ? Colour::green
                                          : status == build::BuildStatus::failed ? Colour::red
                                                                                 : Colour::yellow};
}

std::string spills(const build::ResourceUsage& usage) {
  if (!usage.spill_store_bytes || !usage.spill_load_bytes) return "unknown";
  return *usage.spill_store_bytes + *usage.spill_load_bytes == 0
             ? "none"
             : fmt::format("{}+{} B", *usage.spill_store_bytes, *usage.spill_load_bytes);
}

Table results_table(const build::BuildReport& report) {
  Table table({"configuration", "target", "status", "entry", "registers", "spills", "stack", "static shared"});
  for (const build::BuildResult& result : report.results) {
    if (result.resources.empty())
      table.add({result.configuration.id(), result.target, status_cell(result.status), "", "", "", "", ""});
    for (const build::ResourceUsage& usage : result.resources) {
      table.add({result.configuration.id(),
                 result.target,
                 status_cell(result.status),
                 usage.entry,
                 or_unknown(usage.registers),
                 {spills(usage), spills(usage) == "none" ? Colour::none : Colour::yellow},
                 or_unknown(usage.stack_bytes),
                 or_unknown(usage.static_shared_bytes)});
    }
  }
  return table;
}

Table::Cell fit_cell(const build::ModelFit& fit) {
  using gpu::Fit;
  const gpu::Occupancy& occupancy = fit.occupancy;
  if (occupancy.fit == Fit::does_not_fit) return {"no", Colour::red};
  if (occupancy.fit == Fit::unknown) return {"unknown", Colour::yellow};
  std::string text = occupancy.fit == Fit::fits_with_optin ? "opt-in" : "fits";
  if (occupancy.percent) text += fmt::format(" {:.0f}%", *occupancy.percent);
  if (!occupancy.limiters.empty()) text += fmt::format(" ({})", to_string(occupancy.limiters.front()));
  return {text, Colour::green};
}

Table fits_table(const std::vector<report::ConfigurationFits>& fits) {
  std::vector<std::string> header = {"configuration", "entry", "threads", "dynamic shared"};
  for (const gpu::GpuModel& model : gpu::all_models()) header.emplace_back(model.name);
  Table table(header);
  for (const report::ConfigurationFits& configuration : fits) {
    for (const build::LaunchFit& launch : configuration.launches) {
      std::vector<Table::Cell> row = {configuration.configuration->id(), launch.entry, std::to_string(launch.threads),
                                      std::to_string(launch.dynamic_shared_bytes)};
      for (const build::ModelFit& model : launch.models) row.push_back(fit_cell(model));
      table.add(std::move(row));
    }
  }
  return table;
}

std::string failures_text(const build::BuildReport& report, const report::Terminal& terminal) {
  std::string text;
  for (const build::BuildResult& result : report.results) {
    if (result.status != build::BuildStatus::failed) continue;
    text += fmt::format("\n{} {} for {}: {}\n{}\n", terminal.paint(Colour::red, "failed"), result.configuration.id(),
                        result.target, result.reason, result.output);
  }
  return text;
}

}  // namespace

Result<std::vector<report::ConfigurationFits>> configuration_fits(
    const spec::KernelSpec& spec, const std::vector<spec::Configuration>& configurations,
    const build::BuildReport& report) {
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(spec));
  std::vector<report::ConfigurationFits> fits;
  for (const spec::Configuration& configuration : configurations) {
    const std::vector<build::TargetUsage> usages = report.usages(configuration);
    if (usages.empty()) continue;
    ASSAY_TRY(std::vector<build::LaunchFit> launches, build::launch_fits(spec, configuration, shapes, usages));
    fits.push_back({&configuration, std::move(launches)});
  }
  return fits;
}

std::string build_text(const spec::KernelSpec& spec, const build::BuildReport& report,
                       const std::vector<report::ConfigurationFits>& fits) {
  const report::Terminal terminal;
  std::string text = fmt::format("{}  {}\n\n", terminal.paint(Colour::bold, spec.kernel.name),
                                 report.compiler ? "nvcc " + *report.compiler : "no nvcc on this machine");
  text += results_table(report).render(terminal);
  const Table fit = fits_table(fits);
  if (!fit.empty()) text += "\n" + fit.render(terminal);
  text += failures_text(report, terminal);
  using build::BuildStatus;
  text += fmt::format("\n{} built, {} cached, {} carried, {} failed, {} skipped\n", report.count(BuildStatus::built),
                      report.count(BuildStatus::cached), report.count(BuildStatus::carried),
                      report.count(BuildStatus::failed), report.count(BuildStatus::skipped));
  if (report.no_compiler)
    text += fmt::format("skipped: {}\n  {}\n", report.no_compiler->message, report.no_compiler->hint);
  return text;
}

}  // namespace assay::cli
