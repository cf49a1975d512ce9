// SPDX-License-Identifier: MIT
// Kernels for few queries and many keys, head sizes 136 to 256, on sm_90.
#include "split_entry.cuh"

namespace assay::attention::library {

SplitKernelList split_kernels_d256() {
  static const SplitKernel kernels[] = {
      SPLIT_ENTRY(f16, 256, 1, 4),
      SPLIT_ENTRY(bf16, 256, 1, 4),
      SOLO_ENTRY(f16, 256, 1, 4),
      SOLO_ENTRY(bf16, 256, 1, 4),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
