// SPDX-License-Identifier: MIT
// Our own kernels beside the timed ones (instruments.ptx): fingerprint, delay, flush.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.hpp"
#include "device/cuda/cuda_device.hpp"

namespace assay::measure::cuda {

using device::cuda::CUdeviceptr;
using device::cuda::CUresult;
using device::cuda::CUstream;

class Instruments {
 public:
  static Result<Instruments> load(device::cuda::CudaDevice& gpu, const std::filesystem::path& ptx);

  // All of them enqueue and return.
  Result<void> fingerprint(CUstream stream, CUdeviceptr data, uint64_t bytes, CUdeviceptr slot);
  Result<void> spin(CUstream stream, uint64_t cycles);
  Result<void> flush(CUstream stream, CUdeviceptr data, uint64_t bytes);

 private:
  Instruments(device::cuda::CudaDevice& gpu, std::unique_ptr<device::Module> module,
              device::cuda::PreparedLaunch fingerprint, device::cuda::PreparedLaunch spin,
              device::cuda::PreparedLaunch flush)
      : gpu_(&gpu),
        module_(std::move(module)),
        fingerprint_(std::move(fingerprint)),
        spin_(std::move(spin)),
        flush_(std::move(flush)) {}
  Result<void> launch(device::cuda::PreparedLaunch& kernel, CUstream stream, std::initializer_list<uint64_t> arguments,
                      const char* what);

  device::cuda::CudaDevice* gpu_;
  std::unique_ptr<device::Module> module_;
  device::cuda::PreparedLaunch fingerprint_;
  device::cuda::PreparedLaunch spin_;
  device::cuda::PreparedLaunch flush_;
};

}  // namespace assay::measure::cuda
