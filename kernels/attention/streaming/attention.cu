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

using namespace assay::attention::hopper;

// With two stages the kernel is for D = 128, where a third does not fit.
constexpr int kHeadDim = CONSUMERS == 2 && STAGES == 2 ? 128 : 64;
template <class Element, bool kCausal>
using Config = StreamingConfig<Element, kHeadDim, CONSUMERS, KEY_BLOCK, STAGES, kCausal>;
constexpr int kThreads = Config<__half, false>::kThreads;

#define ENTRY(NAME, ELEMENT, CAUSAL)                                                                      \
  extern "C" __global__ void __launch_bounds__(kThreads, 1) NAME(const __grid_constant__ Params params) { \
    run_streaming<Config<ELEMENT, CAUSAL>>(params);                                                       \
  }

#if CONSUMERS == 2 && STAGES == 2
ENTRY(attention_f16_d128_false, __half, false)
ENTRY(attention_f16_d128_true, __half, true)
ENTRY(attention_bf16_d128_false, __nv_bfloat16, false)
ENTRY(attention_bf16_d128_true, __nv_bfloat16, true)
#else
ENTRY(attention_f16_d64_false, __half, false)
ENTRY(attention_f16_d64_true, __half, true)
ENTRY(attention_bf16_d64_false, __nv_bfloat16, false)
ENTRY(attention_bf16_d64_true, __nv_bfloat16, true)
#endif
