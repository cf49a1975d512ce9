// SPDX-License-Identifier: MIT
// NVML, the driver's management library, opened at run time: clocks, power, temperature, processes.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "device/cuda/gpu_state.hpp"
#include "device/cuda/shared_library.hpp"

namespace assay::device::cuda {

using NvmlHandle = struct nvmlDevice_st*;
struct NvmlTable;

class Nvml {
 public:
  // Once for the process. ASSAY_NVML_LIBRARY names another library, or "none".
  static Result<const Nvml*> load();
  static Result<std::unique_ptr<Nvml>> open(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver_version() const;  // "" if it does not tell
  int device_count() const;
  Result<NvmlHandle> by_bus_id(const std::string& bus_id) const;  // "0000:3b:00.0"

  GpuReading reading(NvmlHandle device) const;  // some microseconds to a millisecond
  GpuState state(NvmlHandle device) const;

 private:
  explicit Nvml(SharedLibrary library);
  Error error(int code, const std::string& what) const;

  SharedLibrary library_;
  std::unique_ptr<NvmlTable> table_;
};

// Watches the GPU that CUDA calls `ordinal`.
class GpuMonitor {
 public:
  static Result<GpuMonitor> open(int ordinal);

  GpuReading read() const { return nvml_->reading(device_); }
  GpuState state() const { return nvml_->state(device_); }

 private:
  GpuMonitor(const Nvml* nvml, NvmlHandle device) : nvml_(nvml), device_(device) {}

  const Nvml* nvml_;
  NvmlHandle device_;
};

// The whole state of the GPU that CUDA calls `ordinal`.
Result<GpuState> read_state(int ordinal);

}  // namespace assay::device::cuda
