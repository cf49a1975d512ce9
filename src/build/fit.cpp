// SPDX-License-Identifier: MIT
#include "build/fit.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "build/entry_name.hpp"
#include "spec/launch.hpp"

namespace assay::build {
namespace {

struct Architecture {
  int capability = 0;     // 89
  bool specific = false;  // "sm_90a": for that capability alone

  int major() const { return capability / 10; }
};

std::optional<Architecture> parse_target(std::string_view target) {
  if (!target.starts_with("sm_")) return std::nullopt;
  target.remove_prefix(3);
  Architecture result;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), result.capability);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest = target.substr(static_cast<size_t>(end - target.data()));
  if (!rest.empty() && rest != "a" && rest != "f") return std::nullopt;
  result.specific = !rest.empty();
  return result;
}

// How good it is to run this target there; 0: impossible.
int rank(const Architecture& target, const gpu::GpuModel& model) {
  const int own = model.compute_capability();
  if (target.specific) return target.capability == own ? 4000 : 0;
  if (target.capability > own) return 0;
  return (target.major() == model.compute_major ? 2000 : 1000) + target.capability;
}

// The kernel that the specification means, by its name in the machine code; as written if there is none.
std::string entry_among(std::span<const TargetUsage> usages, const std::string& wanted) {
  for (const TargetUsage& usage : usages) {
    std::vector<std::string> names;
    for (const ResourceUsage& each : usage.entries) names.push_back(each.entry);
    if (auto found = find_entry_name(wanted, names, {}, usage.target)) return *found;
  }
  return wanted;
}

}  // namespace

std::optional<std::string> best_target(const gpu::GpuModel& model, std::span<const TargetUsage> usages,
                                       bool& recompiled) {
  std::optional<std::string> best;
  int best_rank = 0;
  for (const TargetUsage& usage : usages) {
    const std::optional<Architecture> target = parse_target(usage.target);
    const int this_rank = target ? rank(*target, model) : 0;
    if (this_rank <= best_rank) continue;
    best_rank = this_rank;
    best = usage.target;
  }
  recompiled = best_rank > 0 && best_rank < 2000;
  return best;
}

ModelFit model_fit(const gpu::GpuModel& model, std::span<const TargetUsage> usages, std::string_view entry,
                   int64_t threads, int64_t dynamic_shared_bytes) {
  ModelFit fit;
  fit.model = &model;
  const std::optional<std::string> target = best_target(model, usages, fit.recompiled);
  if (!target) {
    fit.occupancy.reason = "not built for a target that this GPU can run";
    return fit;
  }
  fit.target = *target;
  gpu::BlockNeeds needs;
  needs.threads = threads;
  needs.dynamic_shared_bytes = dynamic_shared_bytes;
  const auto usage = std::ranges::find(usages, *target, &TargetUsage::target);
  if (const ResourceUsage* found = find_entry(usage->entries, entry)) {
    if (!fit.recompiled) needs.registers_per_thread = found->registers;
    needs.static_shared_bytes = found->static_shared_bytes;
    needs.max_threads = found->max_threads;
    needs.barriers = std::max(1, found->barriers.value_or(1));
  }
  fit.occupancy = gpu::occupancy(model, needs);
  if (fit.recompiled && fit.occupancy.fit == gpu::Fit::unknown)
    fit.occupancy.reason = "the driver compiles the PTX of " + fit.target + " for it: registers are not known";
  return fit;
}

std::vector<ModelFit> model_fits(std::span<const TargetUsage> usages, std::string_view entry, int64_t threads,
                                 int64_t dynamic_shared_bytes) {
  std::vector<ModelFit> fits;
  for (const gpu::GpuModel& model : gpu::all_models())
    fits.push_back(model_fit(model, usages, entry, threads, dynamic_shared_bytes));
  return fits;
}

Result<std::vector<LaunchFit>> launch_fits(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                           std::span<const spec::Shape> shapes, std::span<const TargetUsage> usages,
                                           const gpu::GpuModel* here) {
  std::vector<LaunchFit> fits;
  for (const spec::Shape& shape : shapes) {
    ASSAY_TRY(const std::string obstacle, spec::why_not_applicable(spec, configuration, shape));
    if (!obstacle.empty()) continue;
    for (const spec::StageSpec& stage : spec.stages) {
      ASSAY_TRY(const spec::LaunchGeometry geometry, spec::launch_geometry(spec, stage, configuration, shape));
      ASSAY_TRY(const std::string wanted, spec::entry_name(spec, stage, configuration, shape));
      const std::string entry = entry_among(usages, wanted);
      const int64_t threads = int64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
      const bool known = std::ranges::any_of(fits, [&](const LaunchFit& fit) {
        return fit.entry == entry && fit.threads == threads && fit.dynamic_shared_bytes == geometry.shared_bytes;
      });
      if (known) continue;
      fits.push_back(LaunchFit{.entry = entry,
                               .shape = shape.text(),
                               .threads = threads,
                               .dynamic_shared_bytes = geometry.shared_bytes,
                               .here = {},
                               .models = model_fits(usages, entry, threads, geometry.shared_bytes)});
      if (here != nullptr) fits.back().here = model_fit(*here, usages, entry, threads, geometry.shared_bytes);
    }
  }
  return fits;
}

const LaunchFit* worst_launch(const std::vector<LaunchFit>& launches) {
  // The lower, the worse.
  const auto rank = [](const LaunchFit& launch) {
    const gpu::Occupancy& occupancy = launch.here->occupancy;
    const int kind = occupancy.fit == gpu::Fit::does_not_fit ? 0 : occupancy.percent ? 2 : 1;
    return std::pair{kind, occupancy.percent.value_or(0)};
  };
  const LaunchFit* worst = nullptr;
  for (const LaunchFit& launch : launches) {
    if (launch.here && (worst == nullptr || rank(launch) < rank(*worst))) worst = &launch;
  }
  return worst;
}

}  // namespace assay::build
