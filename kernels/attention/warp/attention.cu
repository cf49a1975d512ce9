// SPDX-License-Identifier: MIT
// The warp_* kernels of ../library, all of them, under the names that the library gives them.
#include "../library/warp_attention.cuh"

using namespace assay::attention::library;

#define ENTRY(TYPE, DIM, ROWS, KEYS, STAGES)                                                              \
  using Config_##TYPE##_d##DIM##_##ROWS = WarpConfig<assay::TYPE, DIM, ROWS, KEYS, STAGES>;               \
  extern "C" __global__ void __launch_bounds__(128, Config_##TYPE##_d##DIM##_##ROWS::kBlocksPerProcessor) \
      warp_##TYPE##_d##DIM##_##ROWS##x##KEYS##x##STAGES(const __grid_constant__ WarpParams params) {      \
    run_warp<Config_##TYPE##_d##DIM##_##ROWS>(params);                                                    \
  }
#define ENTRIES(DIM, ROWS, KEYS, STAGES) \
  ENTRY(f16, DIM, ROWS, KEYS, STAGES)    \
  ENTRY(bf16, DIM, ROWS, KEYS, STAGES)

ENTRIES(64, 128, 64, 2)
ENTRIES(64, 64, 64, 2)
ENTRIES(128, 128, 32, 1)
ENTRIES(128, 64, 64, 1)
ENTRIES(192, 64, 64, 1)
ENTRIES(256, 64, 64, 1)
