// SPDX-License-Identifier: MIT
#include "cli/command.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "device/open/open_device.hpp"

namespace assay::cli {
namespace {

// The target of the specification whose PTX this model can run best.
Result<std::string> target_for(const spec::KernelSpec& spec, const gpu::GpuModel& model) {
  std::vector<build::TargetUsage> usages;
  usages.reserve(spec.kernel.targets.size());
  for (const std::string& target : spec.kernel.targets) usages.push_back({target, {}});
  bool recompiled = false;
  if (const auto target = build::best_target(model, usages, recompiled)) return *target;
  return Error{fmt::format("none of the targets of '{}' runs on {} (sm_{})", spec.kernel.name, model.name,
                           model.compute_capability()),
               Place{spec.file.string()}, "add a target to [kernel] targets, or choose another --device",
               ExitCode::usage};
}

// What the specification asks of a device beyond instructions.
Result<void> check_features(const spec::KernelSpec& spec, const device::Device& device) {
  const bool maps = std::ranges::any_of(
      spec.arguments, [](const spec::ArgumentSpec& argument) { return argument.tensor_map() != nullptr; });
  const char* missing = maps && !device.has_tensor_maps()                        ? "tensor maps"
                        : !spec.launch.cluster.empty() && !device.has_clusters() ? "clusters of blocks"
                                                                                 : nullptr;
  if (missing == nullptr) return {};
  return Error{fmt::format("'{}' is skipped on {}: it needs {}, which the device does not have", spec.kernel.name,
                           device.name(), missing),
               Place{spec.file.string()}, "choose a device of compute capability 9.0 or newer: --device vgpu:h200",
               ExitCode::environment};
}

Error build_error(const build::BuildResult& result) {
  Error error{fmt::format("{} for {}: {}", result.configuration.id(), result.target, result.reason), {}, result.hint};
  error.exit_code = result.status == build::BuildStatus::skipped ? ExitCode::environment : ExitCode::incorrect;
  if (!result.output.empty()) error.message += "\n" + result.output;
  return error;
}

}  // namespace

void add_kernel(CommandLine& line, Options& options) {
  line.needs("kernel", options.kernel, "a folder with a kernel.toml, or the file");
}

void add_json(CommandLine& line, Options& options) {
  line.flag("--json", options.json, "print one JSON document");
}

void add_device(CommandLine& line, Options& options) {
  line.option("--device", options.device, "cuda:0, ...; vgpu:l4, vgpu:a100, vgpu:h100, vgpu:h200, vgpu:rtx4090");
}

void add_configuration(CommandLine& line, Options& options) {
  line.option("--config", options.configuration, "NAME=value,...");
}

void add_seed(CommandLine& line, Options& options) {
  line.option("--seed", options.seed, "of the inputs");
}

void add_limits(CommandLine& line, Options& options) {
  line.option("--time-limit", options.time_limit_s, "seconds that one case may take", kPositive);
  line.option("--instruction-limit", options.instruction_limit, "warp instructions that one block may execute");
}

std::string device_name(const Options& options) {
  return options.device.empty() ? device::default_device_name() : options.device;
}

Result<spec::Configuration> chosen_configuration(const spec::KernelSpec& spec, const Options& options) {
  if (options.configuration.empty()) return spec::default_configuration(spec);
  return spec::parse_configuration(spec, options.configuration);
}

Options on_suitable_device(const spec::KernelSpec& spec, const Options& options) {
  if (!options.device.empty() || !device::is_virtual(device_name(options)) || device_target(spec, options))
    return options;
  for (const std::string& name : device::device_names()) {
    Options other = options;
    other.device = name;
    if (device_target(spec, other)) return other;
  }
  return options;
}

Result<Options> sanitizer_options(const Options& options) {
  Options chosen = options;
  chosen.device = device_name(options);
  if (!options.device.empty() || device::is_virtual(chosen.device)) return chosen;
  ASSAY_TRY(const std::unique_ptr<device::Device> device, device::open_device(chosen.device));
  chosen.device = device::virtual_twin(*device);
  return chosen;
}

Result<std::string> device_target(const spec::KernelSpec& spec, const Options& options) {
  ASSAY_TRY(const std::unique_ptr<device::Device> device, device::open_device(device_name(options)));
  ASSAY_CHECK(check_features(spec, *device));
  return target_for(spec, device->model());
}

Result<Runnable> make_runnable(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                               const Options& options) {
  Runnable runnable;
  ASSAY_TRY(const std::string target, device_target(spec, options));
  build::BuildOptions build_options;
  build_options.targets = {target};
  build_options.quiet = true;
  ASSAY_TRY(const build::BuildReport report, build::build(spec, {configuration}, build_options));
  runnable.built = report.results.at(0);
  if (!runnable.built.usable()) return build_error(runnable.built);
  check::RunnerSetup& setup = runnable.worker.setup;
  setup.spec_file = spec.file;
  setup.configuration = spec.tunable.tunables.empty() ? "" : configuration.id();
  setup.ptx = runnable.built.ptx;
  setup.cubin = runnable.built.cubin;
  setup.device = device_name(options);
  setup.cache_folder = build_options.cache_folder;
  setup.instruction_limit = options.instruction_limit;
  runnable.worker.time_limit = std::chrono::milliseconds(static_cast<int64_t>(options.time_limit_s * 1000));
  return runnable;
}

nlohmann::json document_head(const char* command, const spec::KernelSpec& spec,
                             const spec::Configuration& configuration, const Options& options) {
  return {{"assay", kVersion},
          {"command", command},
          {"kernel", spec.kernel.name},
          {"specification", spec.file.string()},
          {"configuration", configuration.id()},
          {"device", device_name(options)}};
}

void print_document(const nlohmann::json& document) {
  const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

}  // namespace assay::cli
