// SPDX-License-Identifier: MIT
// What the truth program needs of the CUDA runtime: arrays with guarded ends, and kernels loaded from cubins by name.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>

namespace truth {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// Bytes on the device with 1,024 bytes of a pattern on either side. The pattern is NaN in every float type.
class DeviceArray {
 public:
  explicit DeviceArray(size_t bytes) : bytes_(bytes) {
    check(cudaMalloc(&base_, bytes + 2 * kGuard), "cudaMalloc");
    poison();
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(base_); }

  void* data() const { return base_ + kGuard; }
  size_t bytes() const { return bytes_; }
  void poison() { check(cudaMemset(base_, kPattern, bytes_ + 2 * kGuard), "cudaMemset"); }

  std::vector<uint8_t> read() const {
    std::vector<uint8_t> copy(bytes_);
    check(cudaMemcpy(copy.data(), data(), bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return copy;
  }

  bool guards_intact() const {
    std::vector<uint8_t> guard(2 * kGuard);
    check(cudaMemcpy(guard.data(), base_, kGuard, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaMemcpy(guard.data() + kGuard, base_ + kGuard + bytes_, kGuard, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (const uint8_t byte : guard)
      if (byte != kPattern) return false;
    return true;
  }

 private:
  static constexpr size_t kGuard = 1024;
  static constexpr uint8_t kPattern = 0xff;
  uint8_t* base_ = nullptr;
  size_t bytes_;
};

// A cubin, named FAMILY.NAME=value,NAME=value.cubin.
struct KernelLibrary {
  std::string family;
  std::string text;  // the configuration as written
  std::map<std::string, int> configuration;
  cudaLibrary_t handle = nullptr;

  int operator[](const std::string& name) const { return configuration.at(name); }

  // The entry, allowed to use so much dynamic shared memory; null if this GPU does not have so much.
  cudaKernel_t kernel(const std::string& entry, size_t shared_bytes) const {
    cudaKernel_t found = nullptr;
    check(cudaLibraryGetKernel(&found, handle, entry.c_str()), entry.c_str());
    const cudaError_t status = cudaFuncSetAttribute(reinterpret_cast<const void*>(found),
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes));
    if (status != cudaSuccess) {
      cudaGetLastError();
      return nullptr;
    }
    return found;
  }
};

struct Launch {
  cudaKernel_t kernel = nullptr;
  unsigned grid = 1;
  unsigned block = 1;
  size_t shared_bytes = 0;

  template <typename... Arguments>
  void operator()(cudaStream_t stream, Arguments... arguments) const {
    void* pointers[] = {&arguments...};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(grid), dim3(block), pointers, shared_bytes,
                           stream),
          "cudaLaunchKernel");
  }
};

}  // namespace truth
