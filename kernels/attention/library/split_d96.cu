// SPDX-License-Identifier: MIT
// Kernels for few queries and many keys, head sizes 72 to 96, on sm_90.
#include "split_entry.cuh"

namespace assay::attention::library {

SplitKernelList split_kernels_d96() {
  static const SplitKernel kernels[] = {
      SPLIT_ENTRY(f16, 96, 1, 8),  SPLIT_ENTRY(f16, 96, 1, 4),  SPLIT_ENTRY(f16, 96, 2, 8),
      SPLIT_ENTRY(f16, 96, 2, 4),  SPLIT_ENTRY(bf16, 96, 1, 8), SPLIT_ENTRY(bf16, 96, 1, 4),
      SPLIT_ENTRY(bf16, 96, 2, 8), SPLIT_ENTRY(bf16, 96, 2, 4), SOLO_ENTRY(f16, 96, 1, 8),
      SOLO_ENTRY(f16, 96, 2, 8),   SOLO_ENTRY(bf16, 96, 1, 8),  SOLO_ENTRY(bf16, 96, 2, 8),
  };
  return {kernels, sizeof kernels / sizeof kernels[0]};
}

}  // namespace assay::attention::library
