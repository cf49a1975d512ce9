// SPDX-License-Identifier: MIT
// A baseline under Nsight Compute, as the provider that is timed elsewhere: what the faster one does differently.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "profiling/ncu.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"

namespace assay::work {

struct BaselineProfileRequest {
  std::string baseline;  // a [baseline.NAME] of the specification, "sdpa", "torch_compile", or a kernel folder
  std::string configuration;
  std::string gpu;  // "cuda:0"
  spec::Shape shape;
  uint64_t seed = 1;
  std::chrono::milliseconds time_limit{std::chrono::minutes(2)};
  profiling::NcuKept kept;
};

struct BaselineProfile {
  std::string name;
  std::string variant;                   // what ran, in the provider's words
  std::optional<uint64_t> device_bytes;  // that its call holds, if it says
  std::vector<std::string> kernels;      // all that it launched, each once, without our instruments
  profiling::NcuLaunch launch;           // of the kernel that took longest
};

Result<BaselineProfile> profile_baseline(const spec::KernelSpec& spec, const BaselineProfileRequest& request,
                                         const Context& context);

}  // namespace assay::work
