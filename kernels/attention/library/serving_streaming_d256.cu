// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes 136 to 256, on sm_90.
#include "serving_streaming_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_streaming_d256() {
  static const ServingKernel kernels[] = {
      SERVING_STREAMING(f16, 192, 80, 2),
      SERVING_STREAMING(bf16, 192, 80, 2),
      SERVING_STREAMING(f16, 256, 48, 2),
      SERVING_STREAMING(bf16, 256, 48, 2),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
