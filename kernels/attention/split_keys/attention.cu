// SPDX-License-Identifier: MIT
// The kernel of this folder under names that a kernel.toml can build: attention_<type>_d<D>.
#include "solo_warps.cuh"
#include "split_keys.cuh"

#ifndef WARPS
#define WARPS 8
#endif
#ifndef SLABS
#define SLABS 1
#endif
#ifndef SOLO
#define SOLO 0
#endif

using namespace assay::attention::split_keys;

#if SOLO > 0
#define CONFIG SoloConfig
#define RUN run_solo_warps
#else
#define CONFIG SplitConfig
#define RUN run_split_keys
#endif

#define ENTRY(TYPE, DIM)                                                                                \
  using Config_##TYPE##_d##DIM = CONFIG<assay::TYPE, columns_of(DIM), SLABS, WARPS>;                    \
  extern "C" __global__ void __launch_bounds__(32 * WARPS, Config_##TYPE##_d##DIM::kBlocksPerProcessor) \
      attention_##TYPE##_d##DIM(const __grid_constant__ Params params) {                                \
    RUN<Config_##TYPE##_d##DIM>(params);                                                                \
  }

ENTRY(f16, 64)
ENTRY(bf16, 64)
ENTRY(f16, 80)
ENTRY(bf16, 80)
ENTRY(f16, 96)
ENTRY(bf16, 96)
#if SOLO == 0 || SLABS == 1 || WARPS < 8
ENTRY(f16, 128)
ENTRY(bf16, 128)
#endif
#if WARPS == 4 && SLABS == 1
ENTRY(f16, 256)
ENTRY(bf16, 256)
#endif
