// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes 200 to 256, on sm_80 and later.
#include "serving_tiles_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_tiles_d256() {
  static const ServingKernel kernels[] = {
      SERVING_TILES(f16, 256, 64, 32, 1),
      SERVING_TILES(bf16, 256, 64, 32, 1),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
