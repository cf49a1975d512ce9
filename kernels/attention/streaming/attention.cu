// SPDX-License-Identifier: MIT
// The streaming kernels of ../hopper under names that a kernel.toml can build: attention_<type>_d<D>_<causal>.
#include "../hopper/streaming.cuh"

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef KEY_BLOCK
#define KEY_BLOCK 128
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef QUERY_BUFFERS
#define QUERY_BUFFERS 2
#endif

using namespace assay::attention::hopper;

template <class Element, int kHeadDim, bool kCausal>
using Config = StreamingConfig<Element, kHeadDim, CONSUMERS, KEY_BLOCK, STAGES, kCausal, QUERY_BUFFERS>;
constexpr int kThreads = (CONSUMERS + 1) * kWarpgroup;

#define ENTRY(TYPE, DIM, ELEMENT, CAUSAL)                                           \
  extern "C" __global__ void __launch_bounds__(kThreads, 1)                         \
      attention_##TYPE##_d##DIM##_##CAUSAL(const __grid_constant__ Params params) { \
    run_streaming<Config<ELEMENT, DIM, CAUSAL>>(params);                            \
  }
#define ENTRIES(DIM)                     \
  ENTRY(f16, DIM, __half, false)         \
  ENTRY(f16, DIM, __half, true)          \
  ENTRY(bf16, DIM, __nv_bfloat16, false) \
  ENTRY(bf16, DIM, __nv_bfloat16, true)

// A head size has the key blocks and stages that fit beside its queries.
#if KEY_BLOCK == 48 || (KEY_BLOCK == 80 && QUERY_BUFFERS == 1)
ENTRIES(256)
#elif KEY_BLOCK == 80 || KEY_BLOCK == 112
ENTRIES(192)
#elif CONSUMERS == 2 && STAGES == 2
ENTRIES(96)
ENTRIES(128)
#else
ENTRIES(64)
#endif
