// SPDX-License-Identifier: MIT
// The table of GPU models.
//
// Where the figures come from:
//   limits per SM and per block   CUDA programming guide, table of technical specifications per compute capability
//   SFU results per clock         CUDA programming guide, table of arithmetic throughput
//   SM count, L2, clocks          the architecture's white paper (GA100, AD10x, GH100)
//   bandwidth, memory, TFLOP/s    the product's data sheet; figures "with sparsity" halved
#include "gpu/gpu_model.hpp"

#include <algorithm>
#include <array>

namespace assay::gpu {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kGiB = 1024 * kMiB;

constexpr std::array kModels = {
    GpuModel{
        .id = "l4",
        .name = "NVIDIA L4",
        .compute_major = 8,
        .compute_minor = 9,
        .tensor_arch = TensorArch::ada,
        .sm_count = 58,
        .max_threads_per_sm = 1536,
        .max_warps_per_sm = 48,
        .max_blocks_per_sm = 24,
        .shared_bytes_per_sm = 100 * kKiB,
        .shared_bytes_per_block_optin = 99 * kKiB,
        .l2_bytes = 48 * kMiB,
        .memory_bytes = 24 * kGiB,
        .memory_bandwidth_gb_per_s = 300,
        .boost_clock_mhz = 2040,
        .tensor_f16_tflops = 121,
        .f32_tflops = 30.3,
    },
    GpuModel{
        .id = "a100",
        .name = "NVIDIA A100-SXM4-80GB",
        .compute_major = 8,
        .compute_minor = 0,
        .tensor_arch = TensorArch::ampere,
        .sm_count = 108,
        .max_threads_per_sm = 2048,
        .max_warps_per_sm = 64,
        .max_blocks_per_sm = 32,
        .shared_bytes_per_sm = 164 * kKiB,
        .shared_bytes_per_block_optin = 163 * kKiB,
        .l2_bytes = 40 * kMiB,
        .memory_bytes = 80 * kGiB,
        .memory_bandwidth_gb_per_s = 2039,
        .boost_clock_mhz = 1410,
        .tensor_f16_tflops = 312,
        .f32_tflops = 19.5,
    },
    GpuModel{
        .id = "h100",
        .name = "NVIDIA H100 SXM5",
        .compute_major = 9,
        .compute_minor = 0,
        .tensor_arch = TensorArch::hopper,
        .sm_count = 132,
        .max_threads_per_sm = 2048,
        .max_warps_per_sm = 64,
        .max_blocks_per_sm = 32,
        .barriers_per_sm = 64,
        .shared_bytes_per_sm = 228 * kKiB,
        .shared_bytes_per_block_optin = 227 * kKiB,
        .l2_bytes = 50 * kMiB,
        .memory_bytes = 80 * kGiB,
        .memory_bandwidth_gb_per_s = 3350,
        .boost_clock_mhz = 1980,
        .tensor_f16_tflops = 989.4,
        .f32_tflops = 66.9,
    },
    GpuModel{
        .id = "h200",
        .name = "NVIDIA H200 SXM",
        .compute_major = 9,
        .compute_minor = 0,
        .tensor_arch = TensorArch::hopper,
        .sm_count = 132,
        .max_threads_per_sm = 2048,
        .max_warps_per_sm = 64,
        .max_blocks_per_sm = 32,
        .barriers_per_sm = 64,
        .shared_bytes_per_sm = 228 * kKiB,
        .shared_bytes_per_block_optin = 227 * kKiB,
        .l2_bytes = 50 * kMiB,
        .memory_bytes = 141'000'000'000,  // the data sheet's 141 GB are decimal
        .memory_bandwidth_gb_per_s = 4800,
        .boost_clock_mhz = 1980,
        .tensor_f16_tflops = 989.4,
        .f32_tflops = 66.9,
    },
    GpuModel{
        .id = "rtx4090",
        .name = "NVIDIA GeForce RTX 4090",
        .compute_major = 8,
        .compute_minor = 9,
        .tensor_arch = TensorArch::ada,
        .sm_count = 128,
        .max_threads_per_sm = 1536,
        .max_warps_per_sm = 48,
        .max_blocks_per_sm = 24,
        .shared_bytes_per_sm = 100 * kKiB,
        .shared_bytes_per_block_optin = 99 * kKiB,
        .l2_bytes = 72 * kMiB,
        .memory_bytes = 24 * kGiB,
        .memory_bandwidth_gb_per_s = 1008,
        .boost_clock_mhz = 2520,
        .tensor_f16_tflops = 165.2,  // half of the rate with f16 accumulation, as on all GeForce cards of Ada
        .f32_tflops = 82.6,
    },
};

}  // namespace

std::string_view to_string(TensorArch arch) {
  switch (arch) {
    case TensorArch::ampere:
      return "ampere";
    case TensorArch::ada:
      return "ada";
    case TensorArch::hopper:
      return "hopper";
  }
  return "unknown";
}

std::span<const GpuModel> all_models() {
  return kModels;
}

const GpuModel* find_model(std::string_view id) {
  const auto found = std::ranges::find(kModels, id, &GpuModel::id);
  return found == kModels.end() ? nullptr : &*found;
}

}  // namespace assay::gpu
