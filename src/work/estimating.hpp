// SPDX-License-Identifier: MIT
// One case counted on a virtual GPU and estimated: what estimate, diagnose and the gate share.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "build/resource_usage.hpp"
#include "estimate/estimate.hpp"
#include "gpu/occupancy.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/launch.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"
#include "work/rates_store.hpp"

namespace assay::work {

// One kernel of a call that has several.
struct EstimatedStage {
  std::string name;  // of the stage; the kernel's own where a function launches it
  std::string entry;
  spec::LaunchGeometry launch;
  gpu::LaunchWork work;
  estimate::Estimate estimate;
  int blocks_per_sm = 1;  // that fit
  bool occupancy_known = false;
  std::optional<build::ResourceUsage> usage;
};

struct EstimatedCase {
  std::string entry;
  std::string shape;
  const gpu::GpuModel* model = nullptr;
  gpu::LaunchWork work;
  estimate::Estimate estimate;
  std::optional<build::ResourceUsage> usage;
  std::optional<gpu::Occupancy> occupancy;
  bool occupancy_known = false;  // else the registers are not known, and threads and shared memory alone were reckoned
  double flops = 0;              // of the problem, by the specification; 0: not given
  double bytes = 0;              // likewise
  std::string target;            // whose PTX was counted
  std::filesystem::path ptx;
  int blocks_per_sm = 1;  // that fit
  spec::LaunchGeometry launch;
  std::vector<spec::ResolvedArgument> arguments;
  // Of a call with several kernels: then `estimate` is their sum, and entry, work, usage, occupancy and launch are
  // those of the longest. Empty for one kernel.
  std::vector<EstimatedStage> stages;
  std::optional<StoredRates> measured;  // the rates that took the place of the model's

  bool sampled() const;  // some blocks stood for all
};

struct EstimatingRequest {
  std::string device;  // a virtual one
  uint64_t seed = 1;
  uint64_t blocks = 24;
  CaseLimits limits;
  bool several = false;                      // the call may have several kernels; else that is an error
  std::optional<StoredRates> measured = {};  // rates for the model's
};

Result<EstimatedCase> estimate_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const spec::Shape& shape, const EstimatingRequest& request, const Context& context);

// "estimate" and "work" of a document.
nlohmann::json estimate_document(const EstimatedCase& estimated);

}  // namespace assay::work
