// SPDX-License-Identifier: MIT
#include "kernel_launch.hpp"

#include "../hopper/shared_memory_limit.hpp"
#include "assay_attention.h"
#include "failure.hpp"

namespace assay::attention::library {

KernelLaunch::KernelLaunch(int64_t blocks, int threads, int shared_bytes, cudaStream_t stream) {
  config_.gridDim = dim3(static_cast<unsigned>(blocks));
  config_.blockDim = dim3(static_cast<unsigned>(threads));
  config_.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
  config_.stream = stream;
  config_.attrs = attributes_;
}

KernelLaunch& KernelLaunch::in_clusters(int blocks) {
  if (blocks == 0) return *this;
  cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  return *this;
}

KernelLaunch& KernelLaunch::overlapping_previous(bool overlap) {
  if (!overlap) return *this;
  cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return *this;
}

int KernelLaunch::run(const char* name, const void* kernel, void* params) {
  void* arguments[] = {params};
  const cudaError_t status = hopper::launch_with_shared_memory(kernel, static_cast<int>(config_.dynamicSmemBytes), [&] {
    return cudaLaunchKernelExC(&config_, kernel, arguments);
  });
  if (status == cudaSuccess) return ASSAY_ATTENTION_OK;
  return fail(ASSAY_ATTENTION_CUDA_FAILED, "%s: %s", name, cudaGetErrorString(status));
}

}  // namespace assay::attention::library
