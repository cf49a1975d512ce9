// SPDX-License-Identifier: MIT
// Kernels for head sizes up to 128 on sm_80 and later. Tall tiles where they fill the GPU, else short ones.
#include "warp_entry.cuh"

namespace assay::attention::library {

WarpKernelList warp_kernels_d128() {
  static const WarpKernel kernels[] = {
      WARP_ENTRY(f16, 128, 128, 32, 1),
      WARP_ENTRY(f16, 128, 64, 64, 1),
      WARP_ENTRY(bf16, 128, 128, 32, 1),
      WARP_ENTRY(bf16, 128, 64, 64, 1),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
