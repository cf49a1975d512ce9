// SPDX-License-Identifier: MIT
// Few queries of sequences, pages and windows, head sizes up to 64, on sm_90.
#include "serving_split_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_split_d64() {
  static const ServingKernel kernels[] = {
      SERVING_SPLIT(f16, 64, 1, 8),  SERVING_SPLIT(f16, 64, 1, 4),  SERVING_SPLIT(f16, 64, 2, 8),
      SERVING_SPLIT(bf16, 64, 1, 8), SERVING_SPLIT(bf16, 64, 1, 4), SERVING_SPLIT(bf16, 64, 2, 8),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
