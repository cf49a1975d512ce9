// SPDX-License-Identifier: MIT
// How a kernel of the library is launched.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

namespace assay::attention::library {

// A launch configuration with a one-dimensional grid, and its attributes.
class KernelLaunch {
 public:
  KernelLaunch(int64_t blocks, int threads, int shared_bytes, cudaStream_t stream);
  KernelLaunch(const KernelLaunch&) = delete;  // the configuration points to the attributes
  KernelLaunch& operator=(const KernelLaunch&) = delete;

  // In clusters of so many blocks; 0: without.
  KernelLaunch& in_clusters(int blocks);

  // While the kernel before it in the stream still runs; the kernel waits for that by itself.
  KernelLaunch& overlapping_previous(bool overlap);

  const cudaLaunchConfig_t& config() const { return config_; }

  // ASSAY_ATTENTION_OK, or a failure that names the kernel. Params: its only parameter.
  template <typename Params>
  int run(const char* name, void (*kernel)(Params), Params& params) {
    return run(name, reinterpret_cast<const void*>(kernel), &params);
  }

 private:
  int run(const char* name, const void* kernel, void* params);

  cudaLaunchAttribute attributes_[2]{};
  cudaLaunchConfig_t config_{};
};

}  // namespace assay::attention::library
