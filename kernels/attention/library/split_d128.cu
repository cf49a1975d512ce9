// SPDX-License-Identifier: MIT
// Kernels for few queries and many keys, head sizes 104 to 128, on sm_90.
#include "split_entry.cuh"

namespace assay::attention::library {

SplitKernelList split_kernels_d128() {
  static const SplitKernel kernels[] = {
      SPLIT_ENTRY(f16, 128, 1, 8),  SPLIT_ENTRY(f16, 128, 1, 4),  SPLIT_ENTRY(f16, 128, 2, 8),
      SPLIT_ENTRY(f16, 128, 2, 4),  SPLIT_ENTRY(bf16, 128, 1, 8), SPLIT_ENTRY(bf16, 128, 1, 4),
      SPLIT_ENTRY(bf16, 128, 2, 8), SPLIT_ENTRY(bf16, 128, 2, 4), SOLO_ENTRY(f16, 128, 1, 8),
      SOLO_ENTRY(f16, 128, 2, 7),   SOLO_ENTRY(bf16, 128, 1, 8),  SOLO_ENTRY(bf16, 128, 2, 7),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
