// SPDX-License-Identifier: MIT
// GPU models as data: the limits that decide whether a kernel fits, and the peaks that an estimate starts from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay::gpu {

// The generations of tensor cores whose arithmetic differs.
enum class TensorArch { ampere, ada, hopper };

std::string_view to_string(TensorArch arch);

struct GpuModel {
  std::string_view id;    // as in --device vgpu:<id>
  std::string_view name;  // as the vendor spells it
  int compute_major = 0;
  int compute_minor = 0;
  TensorArch tensor_arch = TensorArch::ampere;
  int sm_count = 0;

  // Limits of one streaming multiprocessor and of one block.
  int max_threads_per_sm = 0;
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;
  int max_threads_per_block = 1024;

  int registers_per_sm = 65536;  // also the most that one block may have
  int max_registers_per_thread = 255;
  int register_allocation_unit = 256;   // registers, per warp
  int warp_allocation_granularity = 4;  // warps are spread over this many partitions of an SM

  int barriers_per_sm = 0;  // named barriers shared by the blocks of an SM; 0: never the limit

  int64_t shared_bytes_per_sm = 0;
  int64_t shared_bytes_per_block = 49152;  // without opt-in
  int64_t shared_bytes_per_block_optin = 0;
  int64_t shared_bytes_reserved_per_block = 1024;  // taken by the system
  int64_t shared_allocation_granularity = 128;

  int64_t l2_bytes = 0;
  int64_t memory_bytes = 0;

  // Peaks, for estimates only; a GPU under load may run below its boost clock.
  double memory_bandwidth_gb_per_s = 0;  // 10^9 bytes
  double boost_clock_mhz = 0;
  double tensor_f16_tflops = 0;  // dense, accumulating in f32
  double f32_tflops = 0;
  int sfu_per_clock_per_sm = 16;  // results of ex2, rcp, rsqrt, sin ...

  int compute_capability() const { return 10 * compute_major + compute_minor; }  // 89 for 8.9
};

std::span<const GpuModel> all_models();

// nullptr if there is none of that id.
const GpuModel* find_model(std::string_view id);

}  // namespace assay::gpu
