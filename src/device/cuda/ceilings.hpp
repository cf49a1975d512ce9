// SPDX-License-Identifier: MIT
// What a GPU reaches in practice, measured in about a second with small programs of ours: memory bandwidth, tensor
// rate, and what a launch costs. To be set beside the product's figures.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "device/cuda/cuda_device.hpp"

namespace assay::device::cuda {

struct Ceilings {
  double copy_gb_per_s = 0;  // read and written bytes of a copy inside the GPU's memory
  double tensor_f16_tflops = 0;
  std::string tensor_instruction;        // that reached it: "wgmma" or "mma.sync"
  double launch_us = 0;                  // of one empty kernel in a long row of them
  double round_trip_us = 0;              // of one empty kernel and the wait for its end, on the host's clock
  std::optional<unsigned> sm_clock_mhz;  // right after the tensor kernel, if NVML tells
};

Result<Ceilings> measure_ceilings(CudaDevice& device);

// The programs. f16 products with f32 sums, all operands in registers or shared memory:
//   tensor_rate(u32 rounds, u64 sink)
std::string tensor_ptx_hopper();  // wgmma, for sm_90a: 256 threads, kWgmmaFlops for each round of a block
std::string tensor_ptx();         // mma.sync, for sm_80 and newer: 256 threads, kMmaFlops for each round of a block
std::string empty_ptx();          // empty()

inline constexpr double kWgmmaFlops = 2.0 * 16 * (2.0 * 64 * 256 * 16);  // 2 warp groups, 16 products of (64, 256, 16)
inline constexpr double kMmaFlops = 8.0 * 8 * (2.0 * 16 * 8 * 16);       // 8 warps, 8 products of (16, 8, 16)

}  // namespace assay::device::cuda
