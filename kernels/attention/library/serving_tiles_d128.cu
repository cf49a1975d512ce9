// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes 72 to 128, on sm_80 and later.
#include "serving_tiles_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_tiles_d128() {
  static const ServingKernel kernels[] = {
      SERVING_TILES(f16, 128, 64, 64, 1),
      SERVING_TILES(bf16, 128, 64, 64, 1),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
