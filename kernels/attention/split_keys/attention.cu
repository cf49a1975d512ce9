// SPDX-License-Identifier: MIT
// The kernel of this folder under names that a kernel.toml can build: attention_<type>_d<D>.
#include "split_keys.cuh"

#ifndef WARPS
#define WARPS 8
#endif
#ifndef SLABS
#define SLABS 1
#endif

using namespace assay::attention::split_keys;

#define ENTRY(TYPE, DIM)                                                                                \
  using Config_##TYPE##_d##DIM = SplitConfig<assay::TYPE, (DIM + 63) / 64 * 64, SLABS, WARPS>;          \
  extern "C" __global__ void __launch_bounds__(32 * WARPS, Config_##TYPE##_d##DIM::kBlocksPerProcessor) \
      attention_##TYPE##_d##DIM(const __grid_constant__ Params params) {                                \
    run_split_keys<Config_##TYPE##_d##DIM>(params);                                                     \
  }

ENTRY(f16, 64)
ENTRY(bf16, 64)
ENTRY(f16, 128)
ENTRY(bf16, 128)
ENTRY(f16, 80)
ENTRY(bf16, 80)
#if WARPS == 4 && SLABS == 1
ENTRY(f16, 256)
ENTRY(bf16, 256)
#endif
