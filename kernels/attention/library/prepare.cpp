// SPDX-License-Identifier: MIT
// assay_attention_prepare: loads every kernel by capturing its launch into a graph that is then thrown away. Nothing
// runs, so the tensors of these launches need not exist.
#include <cstdint>
#include <cuda_runtime_api.h>
#include <initializer_list>

#include "assay_attention.h"
#include "call_check.hpp"
#include "devices.hpp"
#include "failure.hpp"
#include "hopper_call.hpp"
#include "serving_launch.hpp"
#include "split_launch.hpp"
#include "warp_launch.hpp"

namespace assay::attention::library {
namespace {

// One 64-row tile, at an address that is aligned and never read.
assay_attention_call dummy_call(int head_dim, bool bf16) {
  assay_attention_call call{};
  call.struct_size = sizeof call;
  void* anywhere = reinterpret_cast<void*>(uintptr_t{1} << 32);
  call.query = call.key = call.value = call.output = anywhere;
  for (auto* strides : {&call.query_strides, &call.key_strides, &call.value_strides, &call.output_strides}) {
    (*strides)[0] = (*strides)[1] = int64_t{64} * head_dim;
    (*strides)[2] = head_dim;
  }
  call.batch = call.query_heads = call.key_heads = 1;
  call.query_rows = call.key_rows = 64;
  call.head_dim = head_dim;
  call.dtype = bf16 ? ASSAY_ATTENTION_BF16 : ASSAY_ATTENTION_F16;
  call.scale = 1.0f;
  return call;
}

// By the first call of those below that it computes.
const char* launch_hopper_variant(int variant, cudaStream_t stream) {
  for (int head_dim : {64, 96, 128, 192, 256}) {
    for (int which = 0; which < 4; ++which) {
      assay_attention_call shape = dummy_call(head_dim, (which & 1) != 0);
      if ((which & 2) != 0) shape.flags |= ASSAY_ATTENTION_CAUSAL;
      const hopper_attention_call call = hopper_call(shape);
      if (hopper_attention_supports(variant, &call)) return hopper_attention_launch(variant, &call, stream);
    }
  }
  return nullptr;
}

const char* launch_hopper_variants(cudaStream_t stream) {
  for (int variant = 0; variant < hopper_attention_variants(); ++variant) {
    if (const char* error = launch_hopper_variant(variant, stream)) return error;
  }
  return nullptr;
}

int launch_everything(const DeviceFacts& device, cudaStream_t stream) {
  int status = ASSAY_ATTENTION_OK;
  if (device.compute_capability == 90) {
    if (const char* error = launch_hopper_variants(stream)) return fail(ASSAY_ATTENTION_CUDA_FAILED, "%s", error);
    for_each_split_kernel([&](const SplitKernel& kernel, int) {
      if (status == ASSAY_ATTENTION_OK) {
        split_keys::Plan plan{kernel.slabs, kernel.warps, 1, 1, kernel.solo ? 1 : 0};
        if (kernel.solo) plan.solo = split_keys::Solo::apart;
        status = launch_split_kernel(kernel, plan, {}, dummy_call(kernel.head_dim, kernel.bf16), stream);
      }
    });
  }
  for_each_serving_kernel([&](const ServingKernel& kernel, int) {
    if (status == ASSAY_ATTENTION_OK && (device.compute_capability == 90 || kernel.kind == ServingKind::tiles)) {
      status = launch_serving(kernel, 1, device.multiprocessors, dummy_call(kernel.head_dim, kernel.bf16), stream);
    }
  });
  for_each_warp_kernel([&](const WarpKernel& kernel) {
    if (status == ASSAY_ATTENTION_OK) {
      status = launch_warp_kernel(kernel, dummy_call(kernel.head_dim, kernel.bf16), stream);
    }
  });
  return status;
}

int capture_everything(const DeviceFacts& device) {
  cudaStream_t stream = nullptr;
  cudaError_t failure = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (failure == cudaSuccess) failure = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  int status = failure == cudaSuccess ? launch_everything(device, stream) : ASSAY_ATTENTION_OK;
  cudaGraph_t graph = nullptr;
  if (failure == cudaSuccess) failure = cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  if (stream != nullptr) cudaStreamDestroy(stream);
  if (status == ASSAY_ATTENTION_OK && failure != cudaSuccess) {
    status = fail(ASSAY_ATTENTION_CUDA_FAILED, "cannot load the kernels: %s", cudaGetErrorString(failure));
  }
  return status;
}

}  // namespace
}  // namespace assay::attention::library

extern "C" int assay_attention_prepare(void) {
  using namespace assay::attention::library;
  DeviceFacts device{};
  if (int status = current_device(device); status != ASSAY_ATTENTION_OK) return status;
  if (device.compute_capability / 10 != 8 && device.compute_capability != 90) {
    return fail_no_kernels(device.compute_capability);
  }
  const FirstUse loading(device.index, -1);  // the caller may be capturing another stream
  return capture_everything(device);
}
