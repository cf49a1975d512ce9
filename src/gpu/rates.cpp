// SPDX-License-Identifier: MIT
// The rates of each GPU model.
//
// Where the figures come from:
//   pipes, tensor cores     CUDA programming guide (arithmetic throughput), white papers GA100, AD102, GH100; compute
//                           capability 9.0 measured on an H200 (32 warps, 8 independent chains, machine code looked at)
//   mma.sync on Hopper      measured on an H200: two thirds of what wgmma reaches (2688 of 4096 FLOP per clock in f16)
//   latencies               9.0: measured on an H200 (shared 23, L1 42, L2 290 cycles; barriers 12.5 + 2 per warp);
//                           DRAM and mma from the literature (Jia et al., arXiv 1804.06826; Luo et al., 2402.13499);
//                           the other GPUs use the same figures in cycles
//   DRAM                    peak: data sheet. Reached: 88 % of it, as measured on an H200 (4245 of 4800 GB/s read)
//   L2                      H200: 6.7 to 7.5 TB/s measured for 17 to 46 MB. A100: white paper. Others: scaled with SMs
//                           and clock from the H200
//   launch                  H200: an empty kernel in a row of a graph takes 0.39 us, and 0.5 to 0.61 ns for each block
//   overlap, chain, launch_us, atomics
//                           fitted on one half of the cases of docs/estimate.md, judged on the other half
//   spread, median_error    H200: of the 48 blind cases of docs/estimate.md. spread is a factor: nine of ten measured
//                           times lie between the estimate / (1 + spread) and the estimate * (1 + spread). An
//                           estimate that is 31 % too low is one of which the measured time is 1.45 times. Others:
//                           twice as much
#include "gpu/rates.hpp"

#include <algorithm>
#include <array>

namespace assay::gpu {
namespace {

constexpr std::array kAmpereTensor = {
    TensorRate{"mma.f16", 2048}, TensorRate{"mma.tf32", 1024}, TensorRate{"mma.s8", 4096},
    TensorRate{"mma.s4", 8192},  TensorRate{"mma.f64", 128},
};
constexpr std::array kL4Tensor = {
    TensorRate{"mma.f16", 1024}, TensorRate{"mma.tf32", 512}, TensorRate{"mma.fp8", 2048},
    TensorRate{"mma.s8", 2048},  TensorRate{"mma.s4", 4096},  TensorRate{"mma.f64", 4},
};
// GeForce cards add in f32 at half the rate.
constexpr std::array kGeForceTensor = {
    TensorRate{"mma.f16", 512}, TensorRate{"mma.tf32", 256}, TensorRate{"mma.fp8", 1024},
    TensorRate{"mma.s8", 2048}, TensorRate{"mma.s4", 4096},  TensorRate{"mma.f64", 4},
};
constexpr std::array kHopperTensor = {
    TensorRate{"mma.f16", 2688},    TensorRate{"mma.tf32", 1344},  TensorRate{"mma.fp8", 2688},
    TensorRate{"mma.s8", 5389},     TensorRate{"mma.f64", 256},    TensorRate{"wgmma.f16", 4096},
    TensorRate{"wgmma.tf32", 2048}, TensorRate{"wgmma.fp8", 8192}, TensorRate{"wgmma.s8", 8192},
};

constexpr std::array kRates = {
    Rates{
        .id = "l4",
        .fp64 = 0.0625,
        .l1_bytes = 131072,
        .tensor = kL4Tensor,
        .dram_peak = 300,
        .dram_reached = 265,
        .l2_peak = 3500,
        .l2_reached = 2200,
        .partial_writes_per_ns = 30,
        .l2_usable_bytes = 44e6,
        .atomics_per_ns = 118,
        .atomics_one_address = 1.4,
        .clock_mhz = 2040,
        .tensor_clock_mhz = 1600,
        .chain = 1.2,
        .launch_us = 1.6,
        .launch_floor_us = 0.3,
        .block_ns = 1.0,
        .block_floor_ns = 0.4,
        .overlap = 2.5,
        .spread = 0.88,
        .median_error = 0.22,
    },
    Rates{
        .id = "a100",
        .fma = 2,
        .fp64 = 1,
        .l1_bytes = 196608,
        .tensor = kAmpereTensor,
        .dram_peak = 2039,
        .dram_reached = 1800,
        .l2_peak = 7219,
        .l2_reached = 4200,
        .partial_writes_per_ns = 50,
        .l2_usable_bytes = 36e6,
        .atomics_per_ns = 216,
        .atomics_one_address = 1.0,
        .clock_mhz = 1410,
        .tensor_clock_mhz = 1350,
        .chain = 1.2,
        .launch_us = 1.6,
        .launch_floor_us = 0.3,
        .block_ns = 0.9,
        .block_floor_ns = 0.4,
        .overlap = 2.5,
        .spread = 0.88,
        .median_error = 0.22,
    },
    Rates{
        .id = "h100",
        .tensor = kHopperTensor,
        .dram_peak = 3350,
        .dram_reached = 2960,
        .l2_peak = 16700,
        .l2_reached = 7000,
        .partial_writes_per_ns = 85,
        .l2_usable_bytes = 46e6,
        .atomics_per_ns = 120,
        .atomics_one_address = 1.4,
        .clock_mhz = 1980,
        .tensor_clock_mhz = 1740,
        .chain = 1.2,
        .launch_us = 1.2,
        .launch_floor_us = 0.39,
        .block_ns = 0.5,
        .block_floor_ns = 0.5,
        .overlap = 2.5,
        .spread = 0.88,
        .median_error = 0.22,
    },
    Rates{
        .id = "h200",
        .tensor = kHopperTensor,
        .dram_peak = 4800,
        .dram_reached = 4200,
        .l2_peak = 16700,
        .l2_reached = 7000,
        .partial_writes_per_ns = 85,
        .l2_usable_bytes = 46e6,
        .atomics_per_ns = 120,
        .atomics_one_address = 1.4,
        .clock_mhz = 1980,
        .tensor_clock_mhz = 1740,
        .chain = 1.2,
        .launch_us = 1.2,
        .launch_floor_us = 0.39,
        .block_ns = 0.5,
        .block_floor_ns = 0.5,
        .overlap = 2.5,
        .spread = 0.44,
        .median_error = 0.11,
        .judged = true,
    },
    Rates{
        .id = "rtx4090",
        .fp64 = 0.0625,
        .l1_bytes = 131072,
        .tensor = kGeForceTensor,
        .dram_peak = 1008,
        .dram_reached = 890,
        .l2_peak = 9500,
        .l2_reached = 5000,
        .partial_writes_per_ns = 75,
        .l2_usable_bytes = 66e6,
        .atomics_per_ns = 323,
        .atomics_one_address = 1.7,
        .clock_mhz = 2520,
        .tensor_clock_mhz = 2520,
        .chain = 1.2,
        .launch_us = 1.4,
        .launch_floor_us = 0.3,
        .block_ns = 0.6,
        .block_floor_ns = 0.3,
        .overlap = 2.5,
        .spread = 0.88,
        .median_error = 0.22,
    },
};

}  // namespace

double Rates::tensor_rate(std::string_view kind) const {
  const auto found = std::ranges::find(tensor, kind, &TensorRate::kind);
  return found == tensor.end() ? 0 : found->flop_per_clock;
}

std::span<const Rates> all_rates() {
  return kRates;
}

const Rates& rates_of(const GpuModel& model) {
  const auto found = std::ranges::find(kRates, model.id, &Rates::id);
  return found == kRates.end() ? kRates.front() : *found;  // a test holds that every model has its row
}

}  // namespace assay::gpu
