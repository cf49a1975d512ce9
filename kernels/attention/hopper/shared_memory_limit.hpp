// SPDX-License-Identifier: MIT
// More than 48 KB of dynamic shared memory must be allowed for a kernel once per device. Asking the driver at every
// launch costs as much as a good part of the launch, so each thread remembers what it has asked for.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::attention::hopper {

class SharedMemoryLimit {
 public:
  // Allows the kernel so many bytes on the current device.
  static cudaError_t allow(const void* kernel, int bytes) {
    Entry wanted{kernel, 0};
    cudaError_t status = cudaGetDevice(&wanted.device);
    if (status != cudaSuccess) return status;
    Entry& entry = entry_of(kernel);
    if (entry.kernel == wanted.kernel && entry.device == wanted.device) return cudaSuccess;
    status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaSuccess) entry = wanted;
    return status;
  }

  // After a launch that the driver refused: a device that was reset, or a second context on it, has to be asked again.
  static void forget(const void* kernel) { entry_of(kernel) = {}; }

 private:
  struct Entry {
    const void* kernel = nullptr;
    int device = 0;
  };
  static Entry& entry_of(const void* kernel) {
    thread_local std::array<Entry, 128> entries{};
    return entries[reinterpret_cast<uintptr_t>(kernel) / 16 % 128];
  }
};

// Launches by launch(), and once more after asking the driver again if it refuses.
template <typename Launch>
cudaError_t launch_with_shared_memory(const void* kernel, int bytes, Launch launch) {
  cudaError_t status = SharedMemoryLimit::allow(kernel, bytes);
  if (status == cudaSuccess) status = launch();
  if (status != cudaErrorInvalidValue) return status;
  (void)cudaGetLastError();
  SharedMemoryLimit::forget(kernel);
  status = SharedMemoryLimit::allow(kernel, bytes);
  return status == cudaSuccess ? launch() : status;
}

}  // namespace assay::attention::hopper
