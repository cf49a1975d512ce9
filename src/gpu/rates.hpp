// SPDX-License-Identifier: MIT
// How fast the parts of a GPU are: the data that an estimate starts from. Each figure's source is in rates.cpp.
#pragma once

#include <span>
#include <string_view>

#include "gpu/gpu_model.hpp"

namespace assay::gpu {

// Dense FLOP per clock and SM of one kind of matrix instruction.
struct TensorRate {
  std::string_view kind;  // "mma.f16", "wgmma.f16": the instruction and the type of its operands
  double flop_per_clock = 0;
};

struct Rates {
  std::string_view id;  // of the GpuModel

  // Instructions of a warp per clock and SM.
  double issue = 4;
  double fma = 4;
  double alu = 2;
  double xu = 0.5;
  double fp64 = 2;
  double lsu = 1;
  double l1_bytes = 262144;  // of one SM, shared memory included
  double l1_wavefronts = 1;  // 128 bytes each: global, local and shared memory together
  double l2_sectors = 2;     // of one SM: its port to the L2
  std::span<const TensorRate> tensor;

  // Of the whole GPU, 10^9 bytes per second. Peaks make the lower bound, what kernels reach makes the estimate.
  double dram_peak = 0;
  double dram_reached = 0;
  double l2_peak = 0;
  double l2_reached = 0;
  double l2_full_writes = 1.4;       // times l2_reached: sectors that are written whole
  double partial_writes_per_ns = 0;  // sectors of which a request writes a part
  double l2_usable_bytes = 0;        // beyond, reads come from DRAM again
  double atomics_per_ns = 0;         // on words of their own
  double atomics_one_address = 0;    // per ns, all on one address

  double clock_mhz = 0;         // under load
  double tensor_clock_mhz = 0;  // when the tensor cores are busy: power lowers it

  // Cycles from issue to use.
  double latency_fma = 4;
  double latency_alu = 4.5;
  double latency_xu = 20;
  double latency_fp64 = 8;
  double latency_shuffle = 23;
  double latency_shared = 23;
  double latency_l1 = 42;
  double latency_l2 = 290;
  double latency_dram = 600;
  double latency_mma = 33;
  double latency_constant = 8;
  double chain = 1;  // what the waits of other warps of the SM add to a warp's own
  double barrier_base = 12.5;
  double barrier_per_warp = 2;
  double branch = 6;

  // A launch in a row of a CUDA graph.
  double launch_us = 0;        // that a kernel of one block takes which does nothing useful
  double launch_floor_us = 0;  // that no kernel undercuts
  double block_ns = 0;         // each block of the grid
  double block_floor_ns = 0;

  // The model itself: how parts that overlap add up, and how far it may be off.
  double overlap = 2;    // the exponent: 1 adds them up, infinity takes the largest
  double spread = 0.35;  // nine estimates of ten are at most this far from the measured time
  double median_error = 0.2;
  bool judged = false;  // spread and median_error were measured on this GPU; else they are those of the H200, doubled

  double tensor_rate(std::string_view kind) const;  // 0: not known
};

const Rates& rates_of(const GpuModel& model);
std::span<const Rates> all_rates();

}  // namespace assay::gpu
