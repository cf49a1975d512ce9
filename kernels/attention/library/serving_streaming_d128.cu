// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes 72 to 128, on sm_90.
#include "serving_streaming_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_streaming_d128() {
  static const ServingKernel kernels[] = {
      SERVING_STREAMING(f16, 96, 128, 2),
      SERVING_STREAMING(bf16, 96, 128, 2),
      SERVING_STREAMING(f16, 128, 128, 2),
      SERVING_STREAMING(bf16, 128, 128, 2),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
