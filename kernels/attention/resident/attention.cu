// SPDX-License-Identifier: MIT
// The resident kernels of ../hopper under names that a kernel.toml can build: attention_<type>_<causal>.
#include "../hopper/resident.cuh"

#ifndef ROW_GROUPS
#define ROW_GROUPS 1
#endif
#ifndef KEY_GROUPS
#define KEY_GROUPS 4
#endif
#ifndef PASSES
#define PASSES 1
#endif

using namespace assay::attention::hopper;

template <class Element, bool kCausal>
using Config = resident::ResidentConfig<Element, ROW_GROUPS, KEY_GROUPS, PASSES, kCausal>;
constexpr int kThreads = Config<__half, false>::kThreads;

#define ENTRY(NAME, ELEMENT, CAUSAL)                                                                      \
  extern "C" __global__ void __launch_bounds__(kThreads, 1) NAME(const __grid_constant__ Params params) { \
    resident::run_resident<Config<ELEMENT, CAUSAL>>(params);                                              \
  }

ENTRY(attention_f16_false, __half, false)
ENTRY(attention_f16_true, __half, true)
ENTRY(attention_bf16_false, __nv_bfloat16, false)
ENTRY(attention_bf16_true, __nv_bfloat16, true)
