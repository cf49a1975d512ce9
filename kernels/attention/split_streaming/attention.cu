// SPDX-License-Identifier: MIT
// The kernels of ../hopper/split_streaming.cuh under names that a kernel.toml can build:
// attention_<type>_d<D>_<causal>.
#include "../hopper/split_streaming.cuh"
#include "../hopper/streaming_heads.cuh"

#ifndef KEY_BLOCK
#define KEY_BLOCK 128
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef HALF_TILE
#define HALF_TILE 0
#endif

using namespace assay::attention::hopper;

#if HALF_TILE == 2
#define RUN(DIM, ELEMENT, CAUSAL) run_streaming_heads<StreamingHeadsConfig<ELEMENT, DIM, KEY_BLOCK, STAGES>>
#else
#define RUN(DIM, ELEMENT, CAUSAL) \
  run_split_streaming<SplitStreamingConfig<ELEMENT, DIM, KEY_BLOCK, STAGES, HALF_TILE != 0>, CAUSAL>
#endif

#define ENTRY(TYPE, DIM, ELEMENT, CAUSAL)                                           \
  extern "C" __global__ void __launch_bounds__(3 * kWarpgroup, 1)                   \
      attention_##TYPE##_d##DIM##_##CAUSAL(const __grid_constant__ Params params) { \
    RUN(DIM, ELEMENT, CAUSAL)(params);                                              \
  }
#define ENTRIES(DIM)                     \
  ENTRY(f16, DIM, __half, false)         \
  ENTRY(f16, DIM, __half, true)          \
  ENTRY(bf16, DIM, __nv_bfloat16, false) \
  ENTRY(bf16, DIM, __nv_bfloat16, true)

// A head size has the key blocks and stages that fit beside its queries.
#if KEY_BLOCK == 80
ENTRIES(256)
#elif KEY_BLOCK == 112
ENTRIES(192)
#elif STAGES == 3
ENTRIES(96)
ENTRIES(128)
#else
ENTRIES(64)
#endif
