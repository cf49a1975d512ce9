// SPDX-License-Identifier: MIT
#include "work/kernel.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "build/entry_points.hpp"
#include "device/open/open_device.hpp"
#include "spec/launch.hpp"

namespace assay::work {
namespace fs = std::filesystem;

namespace {

// The target of the specification whose PTX this model can run best.
Result<std::string> target_for(const spec::KernelSpec& spec, const gpu::GpuModel& model) {
  std::vector<build::TargetUsage> usages;
  usages.reserve(spec.kernel.targets.size());
  for (const std::string& target : spec.kernel.targets) usages.push_back({target, {}});
  bool recompiled = false;
  if (const auto target = build::best_target(model, usages, recompiled)) return *target;
  return Error{
      fmt::format("none of the targets of '{}' ({}) runs on {}; expected sm_{} or an older one", spec.kernel.name,
                  fmt::join(spec.kernel.targets, ", "), model.name, model.compute_capability()),
      spec.kernel.targets_place, "add a target to [kernel] targets, or choose another --device", ExitCode::usage};
}

// What the specification asks of a device beyond instructions.
Result<void> check_features(const spec::KernelSpec& spec, const device::Device& device) {
  const auto missing = [&](const char* what, const Place& place) {
    return Error{fmt::format("'{}' is skipped on {}: it needs {}, which the device does not have", spec.kernel.name,
                             device.name(), what),
                 place, "choose a device of compute capability 9.0 or newer: --device vgpu:h200",
                 ExitCode::environment};
  };
  for (const spec::ArgumentSpec& argument : spec.arguments) {
    if (argument.tensor_map() != nullptr && !device.has_tensor_maps())
      return missing("tensor maps", argument.tensor_map()->of_place);
  }
  for (const spec::StageSpec& stage : spec.stages) {
    if (!stage.launch.cluster.empty() && !device.has_clusters())
      return missing("clusters of blocks", stage.launch.cluster.front().place());
  }
  return {};
}

Error build_error(const build::BuildResult& result) {
  if (result.mistake) return *result.mistake;
  Error error{fmt::format("{} for {}: {}", result.configuration.id(), result.target, result.reason), {}, result.hint};
  error.exit_code = result.status == build::BuildStatus::skipped ? ExitCode::environment : ExitCode::incorrect;
  if (!result.output.empty()) error.message += "\n" + result.output;
  return error;
}

}  // namespace

std::string device_for(const spec::KernelSpec& spec, const std::string& device) {
  if (!device.empty()) return device;
  std::string usual = device::default_device_name();
  if (!device::is_virtual(usual) || device_target(spec, usual)) return usual;
  for (const std::string& name : device::device_names()) {
    if (device_target(spec, name)) return name;
  }
  return usual;
}

Result<std::string> virtual_device_for(const spec::KernelSpec& spec, const std::string& device) {
  std::string name = device_for(spec, device);
  if (!device.empty() || device::is_virtual(name)) return name;
  ASSAY_TRY(const std::unique_ptr<device::Device> gpu, device::open_device(name));
  return device::virtual_twin(*gpu);
}

Result<spec::Configuration> chosen_configuration(const spec::KernelSpec& spec, const std::string& configuration) {
  return configuration.empty() ? spec::default_configuration(spec) : spec::parse_configuration(spec, configuration);
}

Result<std::string> device_target(const spec::KernelSpec& spec, const std::string& device) {
  ASSAY_TRY(const std::unique_ptr<device::Device> opened, device::open_device(device));
  ASSAY_CHECK(check_features(spec, *opened));
  return target_for(spec, opened->model());
}

Result<std::vector<spec::KernelSpec>> load_kernels(const std::string& folder_or_file) {
  std::vector<spec::KernelSpec> specs;
  std::error_code failed;
  if (!fs::is_directory(folder_or_file, failed) || fs::exists(fs::path(folder_or_file) / "kernel.toml", failed)) {
    ASSAY_TRY(spec::KernelSpec spec, spec::load(folder_or_file));
    specs.push_back(std::move(spec));
    return specs;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_or_file, failed)) {
    if (fs::exists(entry.path() / "kernel.toml", failed)) files.push_back(entry.path() / "kernel.toml");
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    ASSAY_TRY(spec::KernelSpec spec, spec::load(file));
    specs.push_back(std::move(spec));
  }
  if (specs.empty())
    return Error{"there is no kernel.toml in this folder, nor in its subfolders", Place{folder_or_file},
                 "docs/kernel_toml.md describes the file"};
  return specs;
}

Result<std::string> first_kernel(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                 const spec::Shape& shape, const Runnable& runnable) {
  if (spec.stages.empty()) return std::string();
  if (runnable.built.ptx.empty()) return spec::entry_name(spec, spec.stages.front(), configuration, shape);
  ASSAY_TRY(const std::string ptx, read_file(runnable.built.ptx));
  ASSAY_TRY(const std::vector<std::string> names,
            build::stage_entries(spec, configuration, shape, build::entry_points(ptx)));
  return names.front();
}

Result<Runnable> make_runnable(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                               const std::string& device, const CaseLimits& limits, const Context& context) {
  Runnable runnable;
  ASSAY_TRY(const std::string target, device_target(spec, device));
  build::BuildOptions build_options;
  build_options.targets = {target};
  build_options.context = context;
  ASSAY_TRY(const build::BuildReport report, build::build(spec, {configuration}, build_options));
  runnable.built = report.results.at(0);
  if (!runnable.built.usable()) return build_error(runnable.built);
  check::RunnerSetup& setup = runnable.worker.setup;
  setup.spec_file = spec.file;
  setup.configuration = spec.tunable.tunables.empty() ? "" : configuration.id();
  setup.ptx = runnable.built.ptx;
  setup.cubin = runnable.built.cubin;
  setup.device = device;
  setup.cache_folder = build_options.cache_folder;
  setup.instruction_limit = limits.instructions;
  runnable.worker.time_limit = std::chrono::milliseconds(static_cast<int64_t>(limits.time_s * 1000));
  runnable.worker.context = context;
  return runnable;
}

}  // namespace assay::work
