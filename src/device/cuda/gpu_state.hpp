// SPDX-License-Identifier: MIT
// What a GPU says of itself: who it is, and how it feels just now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::device::cuda {

// Why clocks are below what they could be; bits as NVML gives them.
namespace clock_reason {
inline constexpr uint64_t kIdle = 0x1;
inline constexpr uint64_t kApplicationSetting = 0x2;
inline constexpr uint64_t kSoftwarePowerCap = 0x4;
inline constexpr uint64_t kHardwareSlowdown = 0x8;
inline constexpr uint64_t kSyncBoost = 0x10;
inline constexpr uint64_t kSoftwareThermal = 0x20;
inline constexpr uint64_t kHardwareThermal = 0x40;
inline constexpr uint64_t kPowerBrake = 0x80;
inline constexpr uint64_t kDisplaySetting = 0x100;
// Those that make a measurement worth less: the GPU was slower than its clocks promise.
inline constexpr uint64_t kThrottled =
    kSoftwarePowerCap | kHardwareSlowdown | kSoftwareThermal | kHardwareThermal | kPowerBrake;
}  // namespace clock_reason

// "power cap, thermal slowdown"; "none" if no bit is set. Idle and settings are named as well.
std::string describe_clock_reasons(uint64_t reasons);

// What changes while it works; read per block of samples. Empty where the GPU does not tell.
struct GpuReading {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<unsigned> temperature_c;
  std::optional<uint64_t> clock_reasons;

  bool throttled() const { return clock_reasons && (*clock_reasons & clock_reason::kThrottled) != 0; }
};

struct GpuProcess {
  unsigned pid = 0;
  std::string name;                    // "" if not known, as in a container
  std::optional<uint64_t> used_bytes;  // of the GPU's memory
};

struct GpuState {
  int index = 0;  // NVML's, which is not CUDA's if CUDA_VISIBLE_DEVICES is set
  std::string name;
  std::string uuid;
  std::string driver_version;  // "580.95.05"
  GpuReading reading;
  std::optional<unsigned> max_sm_clock_mhz;
  std::optional<unsigned> max_memory_clock_mhz;
  std::optional<double> power_limit_w;
  std::optional<bool> ecc;
  std::optional<bool> persistence;
  std::optional<bool> mig;
  std::optional<uint64_t> memory_total_bytes;
  std::optional<uint64_t> memory_free_bytes;
  std::optional<unsigned> utilisation_percent;
  std::vector<GpuProcess> processes;  // that compute on it, this one included
};

}  // namespace assay::device::cuda
