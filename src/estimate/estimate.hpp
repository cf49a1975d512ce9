// SPDX-License-Identifier: MIT
// How long a launch would take on a GPU that is not here, from what it asks of each part (gpu::LaunchWork) and the
// GPU's rates. docs/estimate.md states the model and how far it is off.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/gpu_model.hpp"
#include "gpu/launch_work.hpp"
#include "gpu/rates.hpp"

namespace assay::estimate {

// One part of the GPU, and how long it alone would keep the launch.
struct Resource {
  std::string name;  // "DRAM", "FMA pipe", "dependency chain"
  double time_us = 0;
  double share = 0;   // of the estimated time
  double amount = 0;  // of the work
  std::string unit;   // "bytes", "warp instructions"
};

struct Estimate {
  double time_us = 0;
  double low_us = 0;  // nine measured times of ten lie between these two
  double high_us = 0;
  double lower_bound_us = 0;        // that this launch cannot undercut, whatever overlaps
  std::string lower_bound_by;       // the resource
  std::string limiter;              // the resource that takes longest
  std::vector<Resource> resources;  // the slowest first

  int blocks_per_sm = 0;  // resident together
  double waves = 0;       // of the grid over all SMs
  double warps_per_scheduler = 0;
  double chain_cycles = 0;  // of one block that runs alone
  double dram_bytes = 0;
  double compulsory_bytes = 0;  // of them: each byte once
  double l2_bytes = 0;
  double clock_mhz = 0;

  double time_of(std::string_view resource) const;  // 0 if there is none of that name
};

// Names of resources that others ask for.
inline constexpr std::string_view kDram = "DRAM";
inline constexpr std::string_view kL2 = "L2";
inline constexpr std::string_view kL1 = "L1 and shared memory";
inline constexpr std::string_view kPort = "L2 port of the SM";
inline constexpr std::string_view kIssue = "issue slots";
inline constexpr std::string_view kFma = "FMA pipe";
inline constexpr std::string_view kAlu = "ALU pipe";
inline constexpr std::string_view kXu = "special functions";
inline constexpr std::string_view kFp64 = "FP64 pipe";
inline constexpr std::string_view kLsu = "LSU";
inline constexpr std::string_view kTensor = "tensor cores";
inline constexpr std::string_view kChain = "dependency chain";
inline constexpr std::string_view kAtomics = "atomics";
inline constexpr std::string_view kBlocks = "starting blocks";
inline constexpr std::string_view kLaunch = "launch";

// `blocks_per_sm`: how many blocks fit on an SM (gpu/occupancy.hpp).
Estimate estimate(const gpu::LaunchWork& work, int blocks_per_sm, const gpu::GpuModel& model, const gpu::Rates& rates);

}  // namespace assay::estimate
