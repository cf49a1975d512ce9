// SPDX-License-Identifier: MIT
// Sequences, pages and windows, head sizes up to 64, on sm_90.
#include "serving_streaming_entry.cuh"

namespace assay::attention::library {

ServingKernelList serving_streaming_d64() {
  static const ServingKernel kernels[] = {
      SERVING_STREAMING(f16, 64, 128, 3),
      SERVING_STREAMING(bf16, 64, 128, 3),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
