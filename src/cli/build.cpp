// SPDX-License-Identifier: MIT
// assay build: compiles configurations ahead of time and judges their resources against every GPU model.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "build/carried_artifact.hpp"
#include "cli/build_text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/recording.hpp"
#include "report/documents.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  add_kernel(line, options);
  add_configuration(line, options);
  line.option("--target", options.target, "only this one, for example sm_89");
  line.option("--device", options.device, "only the target that this device runs, for example cuda:0");
  line.option("--jobs", options.jobs, "compilations at a time");
  line.option("--time-limit", options.time_limit_s, "seconds that one compilation may take", kPositive);
  line.flag("--prebuilt,--carry", options.carry, "write the default configuration's PTX into the kernel's folder");
  add_ledger(line, options);
  add_json(line, options);
}

Result<ExitCode> carry(const spec::KernelSpec& spec) {
  for (const std::string& target : spec.kernel.targets) {
    ASSAY_CHECK(build::regenerate_carried(spec, target));
    fmt::print("wrote {}\n", build::carried_ptx(spec, target).string());
  }
  return ExitCode::good;
}

Result<ExitCode> build_all(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  ASSAY_TRY(std::vector<spec::Configuration> configurations, spec::configurations(spec));
  if (!options.configuration.empty()) {
    ASSAY_TRY(configurations, spec::matching_configurations(spec, options.configuration));
  }
  build::BuildOptions build_options;
  build_options.jobs = options.jobs;
  build_options.time_limit = std::chrono::milliseconds(static_cast<int64_t>(options.time_limit_s * 1000));
  if (!options.target.empty()) {
    build_options.targets = {options.target};
  } else if (!options.device.empty()) {
    ASSAY_TRY(const std::string target, device_target(spec, options));
    build_options.targets = {target};
  }
  ASSAY_TRY(const build::BuildReport report, build::build(spec, configurations, build_options));
  ASSAY_TRY(const std::vector<report::ConfigurationFits> fits, configuration_fits(spec, configurations, report));
  const ExitCode exit_code = report.count(build::BuildStatus::failed) > 0 ? ExitCode::incorrect : ExitCode::good;
  nlohmann::json document = report::build_document(spec, report, fits);
  ASSAY_CHECK(recording.write(build_attempt(recording, report, exit_code), document));
  if (options.json) {
    document["assay"] = kVersion;
    document["command"] = "build";
    document["specification"] = spec.file.string();
    print_document(document);
  } else {
    fmt::print("{}", build_text(spec, report, fits));
  }
  return exit_code;
}

Result<ExitCode> run(const Options& options) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(options.kernel));
  if (options.carry) return carry(spec);
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::build, spec));
  return recording.close(build_all(spec, options, recording));
}

}  // namespace

Command build_command() {
  return {"build", "compile every configuration; registers, spills, shared memory, occupancy", add_options, run};
}

}  // namespace assay::cli
