// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes 136 to 192, on sm_80 and later.
#include "serving_tiles_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_tiles_d192() {
  static const ServingKernel kernels[] = {
      SERVING_TILES(f16, 192, 64, 64, 1),
      SERVING_TILES(bf16, 192, 64, 64, 1),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
