// SPDX-License-Identifier: MIT
// A model of a GPU that synthetic spaces take their times from: pipes, occupancy, waves, caches, barriers, spilling.
#pragma once

#include <optional>
#include <string>

#include "base/random.hpp"

namespace assay::tune {

struct SyntheticGpu {
  std::string name;
  double sms, float_lanes, l2_bytes, dram_bytes;  // per SM and clock
  double max_warps, max_blocks, shared_per_sm, shared_per_block, l1_bytes;
  double latency;    // warps per scheduler, times the independent instructions of each, that hide most of it
  double tail;       // how much of a partial wave is lost
  double sharpness;  // of the maximum over the pipes
};

SyntheticGpu draw_gpu(Random& random);

// What one block does; instructions are those of warps.
struct BlockWork {
  double threads = 0, blocks = 0, registers = 32, shared_bytes = 0;
  double floats = 0, integers = 0, special = 0, memory = 0, wavefronts = 0, requests = 0, sectors = 0, dram_bytes = 0;
  double local_sectors = 0;  // of what was spilled
  double independent = 1;    // instructions that a warp can issue without waiting for one another
  double footprint = 0;      // bytes that the block would like to find in L1
  double barriers = 0;       // per block, each stalls for a while
};

struct SyntheticTiming {
  std::optional<double> milliseconds;
  std::string failure;
  BlockWork work;                           // as counted, with what spilling adds
  double l2_sectors = 0, dram_sectors = 0;  // of a block, as they came out
  double active_warps = 0;
};

SyntheticTiming simulate(BlockWork work, const SyntheticGpu& gpu);

}  // namespace assay::tune
