// SPDX-License-Identifier: MIT
#include "work/tune_space.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "gpu/occupancy.hpp"
#include "spec/launch.hpp"

namespace assay::work {
namespace {

// Why the configuration cannot run there, as far as that can be told without a compiler; figures that differ from one
// configuration to the next are left out, so that reasons can be counted.
Result<std::string> why_left_out(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                 const std::vector<spec::Shape>& shapes, const gpu::GpuModel& model) {
  for (const spec::Shape& shape : shapes) {
    ASSAY_TRY(const std::string reason, spec::why_not_applicable(spec, configuration, shape));
    if (!reason.empty()) return fmt::format("does not apply to {}", shape.text());
    for (const spec::StageSpec& stage : spec.stages) {
      const auto launch = spec::launch_geometry(spec, stage, configuration, shape);
      if (!launch) return std::string("the launch is not possible on any GPU (threads or blocks)");
      gpu::BlockNeeds needs;
      needs.threads = int64_t{launch->block[0]} * launch->block[1] * launch->block[2];
      needs.dynamic_shared_bytes = launch->shared_bytes;
      needs.static_shared_bytes = 0;
      needs.registers_per_thread = 16;  // the least that any kernel takes
      if (gpu::occupancy(model, needs).fit == gpu::Fit::does_not_fit)
        return needs.dynamic_shared_bytes > model.shared_bytes_per_block_optin
                   ? fmt::format("more shared memory than the {} bytes of {}", model.shared_bytes_per_block_optin,
                                 model.name)
                   : fmt::format("more threads than {} takes", model.name);
    }
  }
  return std::string();
}

tune::ParameterValue parameter_value(const spec::Value& value) {
  if (value.is_dtype()) return tune::word_value(to_string(value));
  return {value.as_double(), to_string(value)};
}

}  // namespace

Result<KernelSpace> kernel_space(const spec::KernelSpec& spec, const std::string& restriction,
                                 const std::vector<std::string>& only, const std::vector<spec::Shape>& shapes,
                                 const gpu::GpuModel& model) {
  std::vector<spec::Configuration> all;
  if (only.empty()) {
    ASSAY_TRY(all, spec::matching_configurations(spec, restriction));
  }
  for (const std::string& each : only) {
    ASSAY_TRY(const spec::Configuration configuration, spec::parse_configuration(spec, each == "default" ? "" : each));
    if (std::ranges::find(all, configuration) == all.end()) all.push_back(configuration);
  }
  std::map<std::string, size_t> reasons;
  std::vector<spec::Configuration> kept;
  for (const spec::Configuration& configuration : all) {
    ASSAY_TRY(const std::string reason, why_left_out(spec, configuration, shapes, model));
    if (reason.empty()) {
      kept.push_back(configuration);
    } else {
      ++reasons[reason];
    }
  }
  if (kept.empty()) {
    std::string why;
    for (const auto& [reason, count] : reasons) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", count, reason);
    return Error{fmt::format("none of the {} configurations of '{}' can run: {}", all.size(), spec.kernel.name, why),
                 Place{spec.file.string()}, "choose another --device or --shape, or widen [tunable]"};
  }
  std::vector<tune::Parameter> parameters;
  for (const spec::Tunable& tunable : spec.tunable.tunables) {
    tune::Parameter& parameter = parameters.emplace_back(tune::Parameter{tunable.name, {}});
    for (const spec::Value& value : tunable.values) parameter.values.push_back(parameter_value(value));
  }
  if (parameters.empty()) parameters.push_back({"configuration", {tune::word_value("default")}});
  std::vector<uint16_t> rows;
  for (const spec::Configuration& configuration : kept) {
    for (const spec::Tunable& tunable : spec.tunable.tunables) {
      const auto found = std::ranges::find(tunable.values, configuration.values.at(tunable.name));
      rows.push_back(static_cast<uint16_t>(found - tunable.values.begin()));
    }
    if (spec.tunable.tunables.empty()) rows.push_back(0);
  }
  ASSAY_TRY(tune::Space space, tune::Space::make(std::move(parameters), std::move(rows)));
  return KernelSpace{std::move(space), std::move(kept), {reasons.begin(), reasons.end()}};
}

}  // namespace assay::work
