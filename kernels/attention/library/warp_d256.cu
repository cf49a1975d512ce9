// SPDX-License-Identifier: MIT
// Kernels for head sizes up to 256 on sm_80 and later. 98,304 bytes of shared memory: what an L4 allows a block.
#include "warp_entry.cuh"

namespace assay::attention::library {

WarpKernelList warp_kernels_d256() {
  static const WarpKernel kernels[] = {
      WARP_ENTRY(f16, 256, 64, 64, 1),
      WARP_ENTRY(bf16, 256, 64, 64, 1),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
