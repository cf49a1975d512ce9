// SPDX-License-Identifier: MIT
// The kernels of ../split_keys that the library holds, one table per head size.
#pragma once

#include "../split_keys/params.hpp"

namespace assay::attention::library {

struct SplitKernel {
  const char* name;
  int head_dim;  // the largest that it takes
  int slabs;
  int warps;
  bool bf16;
  bool solo;  // warps work alone (../split_keys/solo_warps.cuh)
  int shared_bytes;
  void (*function)(split_keys::Params);
};

struct SplitKernelList {
  const SplitKernel* kernels;
  int count;
};

SplitKernelList split_kernels_d64();
SplitKernelList split_kernels_d96();
SplitKernelList split_kernels_d128();
SplitKernelList split_kernels_d256();

}  // namespace assay::attention::library
