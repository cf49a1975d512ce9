// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes up to 64, on sm_80 and later. Tall tiles where they fill the GPU, else short
// ones.
#include "serving_tiles_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_tiles_d64() {
  static const ServingKernel kernels[] = {
      SERVING_TILES(f16, 64, 128, 64, 2),
      SERVING_TILES(f16, 64, 64, 64, 2),
      SERVING_TILES(bf16, 64, 128, 64, 2),
      SERVING_TILES(bf16, 64, 64, 64, 2),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
