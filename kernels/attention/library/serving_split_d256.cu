// SPDX-License-Identifier: MIT
// Few queries of sequences, pages and windows, head sizes 136 to 256, on sm_90.
#include "serving_split_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_split_d256() {
  static const ServingKernel kernels[] = {
      SERVING_SPLIT(f16, 256, 1, 4),
      SERVING_SPLIT(bf16, 256, 1, 4),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
