// SPDX-License-Identifier: MIT
// Choice and launch of the mma.sync kernels.
#pragma once

#include <cuda_runtime_api.h>
#include <initializer_list>

#include "assay_attention.h"
#include "warp_kernels.hpp"

namespace assay::attention::library {

// The kernel for a checked call on a GPU with so many multiprocessors. Never null.
const WarpKernel* choose_warp_kernel(const assay_attention_call& call, int multiprocessors);

// One kernel onto the stream; a code of assay_attention.h.
int launch_warp_kernel(const WarpKernel& kernel, const assay_attention_call& call, cudaStream_t stream);

// Calls visit(kernel) for each.
template <typename Visit>
void for_each_warp_kernel(Visit visit) {
  for (const WarpKernelList& list :
       {warp_kernels_d64(), warp_kernels_d128(), warp_kernels_d192(), warp_kernels_d256()}) {
    for (int i = 0; i < list.count; ++i) visit(list.kernels[i]);
  }
}

}  // namespace assay::attention::library
