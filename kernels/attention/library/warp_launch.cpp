// SPDX-License-Identifier: MIT
#include "warp_launch.hpp"

#include <algorithm>

#include "../hopper/shared_memory_limit.hpp"
#include "failure.hpp"

namespace assay::attention::library {

const WarpKernel* choose_warp_kernel(const assay_attention_call& call, int multiprocessors) {
  const WarpKernelList list = call.head_dim <= 64    ? warp_kernels_d64()
                              : call.head_dim <= 128 ? warp_kernels_d128()
                              : call.head_dim <= 192 ? warp_kernels_d192()
                                                     : warp_kernels_d256();
  const int64_t heads = int64_t{call.batch} * call.query_heads;
  const WarpKernel* chosen = nullptr;
  for (int i = 0; i < list.count; ++i) {  // tallest tiles first
    const WarpKernel& kernel = list.kernels[i];
    if (kernel.bf16 != (call.dtype == ASSAY_ATTENTION_BF16)) continue;
    chosen = &kernel;
    const int64_t tiles = (int64_t{call.query_rows} + kernel.query_rows - 1) / kernel.query_rows * heads;
    if (tiles >= int64_t{2} * multiprocessors) break;
  }
  return chosen;
}

int launch_warp_kernel(const WarpKernel& kernel, const assay_attention_call& call, cudaStream_t stream) {
  WarpParams params{};
  params.query = call.query;
  params.key = call.key;
  params.value = call.value;
  params.output = call.output;
  params.log_sum_exp = call.log_sum_exp;
  std::copy_n(call.query_strides, 3, params.query_strides);
  std::copy_n(call.key_strides, 3, params.key_strides);
  std::copy_n(call.value_strides, 3, params.value_strides);
  std::copy_n(call.output_strides, 3, params.output_strides);
  params.batch = call.batch;
  params.query_heads = call.query_heads;
  params.heads_per_key_head = call.query_heads / call.key_heads;
  params.query_rows = call.query_rows;
  params.key_rows = call.key_rows;
  params.row_chunks = call.head_dim / 8;
  params.scale = call.scale;
  params.causal = (call.flags & ASSAY_ATTENTION_CAUSAL) != 0;

  const auto* function = reinterpret_cast<const void*>(kernel.function);
  const int64_t tiles =
      (int64_t{call.query_rows} + kernel.query_rows - 1) / kernel.query_rows * call.batch * call.query_heads;
  void* arguments[] = {&params};
  const cudaError_t status = hopper::launch_with_shared_memory(function, kernel.shared_bytes, [&] {
    return cudaLaunchKernel(function, dim3(static_cast<unsigned>(tiles)), dim3(static_cast<unsigned>(kernel.threads)),
                            arguments, static_cast<size_t>(kernel.shared_bytes), stream);
  });
  if (status == cudaSuccess) return ASSAY_ATTENTION_OK;
  return fail(ASSAY_ATTENTION_CUDA_FAILED, "%s: %s", kernel.name, cudaGetErrorString(status));
}

}  // namespace assay::attention::library
