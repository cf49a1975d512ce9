// SPDX-License-Identifier: MIT
// Kernels for head sizes up to 192 on sm_80 and later. 73,728 bytes of shared memory: three blocks share a
// multiprocessor of an H100.
#include "warp_entry.cuh"

namespace assay::attention::library {

WarpKernelList warp_kernels_d192() {
  static const WarpKernel kernels[] = {
      WARP_ENTRY(f16, 192, 64, 64, 1),
      WARP_ENTRY(bf16, 192, 64, 64, 1),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
