// SPDX-License-Identifier: MIT
// Kernels for head sizes up to 64 on sm_80 and later. Tall tiles where they fill the GPU, else short ones.
#include "warp_entry.cuh"

namespace assay::attention::library {

WarpKernelList warp_kernels_d64() {
  static const WarpKernel kernels[] = {
      WARP_ENTRY(f16, 64, 128, 64, 2),
      WARP_ENTRY(f16, 64, 64, 64, 2),
      WARP_ENTRY(bf16, 64, 128, 64, 2),
      WARP_ENTRY(bf16, 64, 64, 64, 2),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
