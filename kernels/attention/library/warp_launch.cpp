// SPDX-License-Identifier: MIT
#include "warp_launch.hpp"

#include "kernel_launch.hpp"
#include "warp_call.hpp"

namespace assay::attention::library {

const WarpKernel* choose_warp_kernel(const assay_attention_call& call, int multiprocessors) {
  const WarpKernelList list = call.head_dim <= 64    ? warp_kernels_d64()
                              : call.head_dim <= 128 ? warp_kernels_d128()
                              : call.head_dim <= 192 ? warp_kernels_d192()
                                                     : warp_kernels_d256();
  const WarpKernel* chosen = nullptr;
  for (int i = 0; i < list.count; ++i) {  // tallest tiles first
    const WarpKernel& kernel = list.kernels[i];
    if (kernel.bf16 != is_bf16(call)) continue;
    chosen = &kernel;
    if (warp_tiles(call, kernel.query_rows) >= int64_t{2} * multiprocessors) break;
  }
  return chosen;
}

int launch_warp_kernel(const WarpKernel& kernel, const assay_attention_call& call, cudaStream_t stream) {
  WarpParams params = warp_params(call);
  return KernelLaunch(warp_tiles(call, kernel.query_rows), kernel.threads, kernel.shared_bytes, stream)
      .run(kernel.name, kernel.function, params);
}

}  // namespace assay::attention::library
