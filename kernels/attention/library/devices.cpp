// SPDX-License-Identifier: MIT
#include "devices.hpp"

#include <atomic>
#include <cstdio>
#include <cuda_runtime_api.h>

#include "assay_attention.h"
#include "failure.hpp"

namespace assay::attention::library {
namespace {

constexpr int kDevices = 64;
constexpr int kKernels = 384;

// Zero until known. Written with equal values by whichever threads come first.
std::atomic<int> capabilities[kDevices];
std::atomic<int> multiprocessor_counts[kDevices];
std::atomic<bool> loaded[kDevices][kKernels];

int fail_cuda(const char* what, cudaError_t status) {
  return fail(ASSAY_ATTENTION_NO_KERNEL, "%s: %s", what, cudaGetErrorString(status));
}

int read_facts(DeviceFacts& facts) {
  int major = 0;
  int minor = 0;
  cudaError_t status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, facts.index);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, facts.index);
  if (status == cudaSuccess) {
    status = cudaDeviceGetAttribute(&facts.multiprocessors, cudaDevAttrMultiProcessorCount, facts.index);
  }
  if (status != cudaSuccess) return fail_cuda("the GPU does not say what it is", status);
  facts.compute_capability = 10 * major + minor;
  return ASSAY_ATTENTION_OK;
}

}  // namespace

int current_device(DeviceFacts& facts) {
  cudaError_t status = cudaGetDevice(&facts.index);
  if (status != cudaSuccess) return fail_cuda("no GPU to use", status);
  const bool remembered = facts.index >= 0 && facts.index < kDevices;
  if (remembered) {
    facts.compute_capability = capabilities[facts.index].load(std::memory_order_relaxed);
    facts.multiprocessors = multiprocessor_counts[facts.index].load(std::memory_order_relaxed);
    if (facts.compute_capability != 0 && facts.multiprocessors != 0) return ASSAY_ATTENTION_OK;
  }
  const int code = read_facts(facts);
  if (code == ASSAY_ATTENTION_OK && remembered) {
    capabilities[facts.index].store(facts.compute_capability, std::memory_order_relaxed);
    multiprocessor_counts[facts.index].store(facts.multiprocessors, std::memory_order_relaxed);
  }
  return code;
}

int device_name(int index, char* name, int capacity) {
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, index);
  if (status != cudaSuccess) return fail_cuda("the GPU does not say its name", status);
  std::snprintf(name, static_cast<size_t>(capacity), "%s", properties.name);
  return ASSAY_ATTENTION_OK;
}

AllowedWhileCapturing::AllowedWhileCapturing() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  if (cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess) mode_before_ = static_cast<int>(mode);
}

AllowedWhileCapturing::~AllowedWhileCapturing() {
  if (mode_before_ < 0) return;
  auto mode = static_cast<cudaStreamCaptureMode>(mode_before_);
  cudaThreadExchangeStreamCaptureMode(&mode);
}

FirstUse::FirstUse(int device, int kernel) : device_(device), kernel_(kernel) {
  const bool remembered = device >= 0 && device < kDevices && kernel >= 0 && kernel < kKernels;
  if (!remembered || !loaded[device][kernel].load(std::memory_order_relaxed)) allowed_.emplace();
}

void FirstUse::succeeded() {
  if (allowed_ && device_ >= 0 && device_ < kDevices && kernel_ >= 0 && kernel_ < kKernels) {
    loaded[device_][kernel_].store(true, std::memory_order_relaxed);
  }
}

}  // namespace assay::attention::library
