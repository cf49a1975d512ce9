// SPDX-License-Identifier: MIT
// The kernels of warp_attention.cuh that the library holds, one table per head size.
#pragma once

#include "warp_params.hpp"

namespace assay::attention::library {

struct WarpKernel {
  const char* name;
  int head_dim;  // the largest that it takes
  int query_rows;
  bool bf16;
  int threads;
  int shared_bytes;
  void (*function)(WarpParams);
};

struct WarpKernelList {
  const WarpKernel* kernels;
  int count;
};

WarpKernelList warp_kernels_d64();
WarpKernelList warp_kernels_d128();
WarpKernelList warp_kernels_d192();
WarpKernelList warp_kernels_d256();

}  // namespace assay::attention::library
