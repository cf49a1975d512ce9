// SPDX-License-Identifier: MIT
// One case counted on a virtual GPU and estimated: what estimate, diagnose and the gate share.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

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

namespace assay::work {

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
};

struct EstimatingRequest {
  std::string device;  // a virtual one
  uint64_t seed = 1;
  uint64_t blocks = 24;
  CaseLimits limits;
};

Result<EstimatedCase> estimate_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const spec::Shape& shape, const EstimatingRequest& request, const Context& context);

// "estimate" and "work" of a document.
nlohmann::json estimate_document(const EstimatedCase& estimated);

}  // namespace assay::work
