// SPDX-License-Identifier: MIT
// The kernels of ../hopper/pairs.cuh under names that a kernel.toml can build: attention_<type>_d<D>_<causal>.
#include "../hopper/pairs.cuh"

#ifndef LENGTH
#define LENGTH 128
#endif

using namespace assay::attention::hopper;

#define ENTRY(TYPE, DIM, COLUMNS, ELEMENT, CAUSAL)                                  \
  extern "C" __global__ void __launch_bounds__(640, 1)                              \
      attention_##TYPE##_d##DIM##_##CAUSAL(const __grid_constant__ Params params) { \
    pairs::run_pairs<pairs::PairsConfig<ELEMENT, COLUMNS, LENGTH, CAUSAL>>(params); \
  }
#define ENTRIES(DIM, COLUMNS)                     \
  ENTRY(f16, DIM, COLUMNS, __half, false)         \
  ENTRY(f16, DIM, COLUMNS, __half, true)          \
  ENTRY(bf16, DIM, COLUMNS, __nv_bfloat16, false) \
  ENTRY(bf16, DIM, COLUMNS, __nv_bfloat16, true)

ENTRIES(64, 64)
ENTRIES(80, 96)
ENTRIES(128, 128)
