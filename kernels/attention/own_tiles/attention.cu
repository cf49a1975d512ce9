// SPDX-License-Identifier: MIT
// The kernels of ../hopper/own_tiles.cuh under names that a kernel.toml can build: attention_<type>_d<D>_<causal>.
#include "../hopper/own_tiles.cuh"

#ifndef LONG
#define LONG 0
#endif

using namespace assay::attention::hopper;

#define ENTRY(TYPE, DIM, COLUMNS, THREADS, ELEMENT, CAUSAL)                                      \
  extern "C" __global__ void __launch_bounds__(THREADS, 1)                                       \
      attention_##TYPE##_d##DIM##_##CAUSAL(const __grid_constant__ Params params) {              \
    own_tiles::run_own_tiles<own_tiles::OwnTilesConfig<ELEMENT, COLUMNS, CAUSAL, LONG>>(params); \
  }
#define ENTRIES(DIM, COLUMNS, THREADS)                     \
  ENTRY(f16, DIM, COLUMNS, THREADS, __half, false)         \
  ENTRY(f16, DIM, COLUMNS, THREADS, __half, true)          \
  ENTRY(bf16, DIM, COLUMNS, THREADS, __nv_bfloat16, false) \
  ENTRY(bf16, DIM, COLUMNS, THREADS, __nv_bfloat16, true)

ENTRIES(80, 96, 512)
ENTRIES(128, 128, 512)
#if !LONG
ENTRIES(64, 64, 640)
ENTRIES(192, 192, 384)
ENTRIES(256, 256, 384)
#endif
