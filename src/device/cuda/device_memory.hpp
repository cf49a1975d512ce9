// SPDX-License-Identifier: MIT
// Memory of the GPU that is given back.
#pragma once

#include <string>

#include "device/cuda/cuda_device.hpp"

namespace assay::device::cuda {

class DeviceMemory {
 public:
  DeviceMemory(CudaDevice& gpu, uint64_t bytes, const std::string& name)
      : gpu_(gpu), bytes_(bytes), address_(gpu.allocate(bytes, name)) {}
  ~DeviceMemory() {
    if (address_) static_cast<void>(gpu_.release(*address_).ok());
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  uint64_t bytes() const { return bytes_; }
  const Result<uint64_t>& address() const { return address_; }

 private:
  CudaDevice& gpu_;
  uint64_t bytes_;
  Result<uint64_t> address_;
};

}  // namespace assay::device::cuda
