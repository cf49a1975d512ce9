// SPDX-License-Identifier: MIT
// Where a compiled kernel fits: one launch against every GPU model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "build/resource_usage.hpp"
#include "gpu/occupancy.hpp"
#include "spec/shape.hpp"

namespace assay::build {

// The resources of one configuration as compiled for one target.
struct TargetUsage {
  std::string target;
  std::vector<ResourceUsage> entries;
};

struct ModelFit {
  const gpu::GpuModel* model = nullptr;
  std::string target;       // whose code runs there; empty if no target's does
  bool recompiled = false;  // the driver compiles that target's PTX anew, so the number of registers is not known
  gpu::Occupancy occupancy;
};

struct LaunchFit {
  std::string entry;
  std::string shape;  // the first that is launched like this
  int64_t threads = 0;
  int64_t dynamic_shared_bytes = 0;
  std::optional<ModelFit> here;  // on the GPU at hand, if one was given
  std::vector<ModelFit> models;  // one for each of all_models()
};

// The target whose machine code `model` runs: of the same major version and the highest minor one that is not above its
// own; "sm_90a" on 9.0 alone. Failing that, the highest target whose PTX the driver can compile for it.
std::optional<std::string> best_target(const gpu::GpuModel& model, std::span<const TargetUsage> usages,
                                       bool& recompiled);

ModelFit model_fit(const gpu::GpuModel& model, std::span<const TargetUsage> usages, std::string_view entry,
                   int64_t threads, int64_t dynamic_shared_bytes);
std::vector<ModelFit> model_fits(std::span<const TargetUsage> usages, std::string_view entry, int64_t threads,
                                 int64_t dynamic_shared_bytes);

// One for each different entry, block size and dynamic shared memory among the shapes; shapes that the configuration
// does not apply to are skipped. `here` is the GPU at hand, if there is one; the result points to it.
Result<std::vector<LaunchFit>> launch_fits(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                           std::span<const spec::Shape> shapes, std::span<const TargetUsage> usages,
                                           const gpu::GpuModel* here = nullptr);

// The launch that uses the GPU at hand worst: one that does not fit, then one of which that is not known, then the one
// of the lowest occupancy. Null if there is none.
const LaunchFit* worst_launch(const std::vector<LaunchFit>& launches);

}  // namespace assay::build
