// SPDX-License-Identifier: MIT
// The library's kernel for new keys and values under a name that kernel.toml can launch.
#include "../library/append.cuh"

extern "C" __global__ void __launch_bounds__(256)
    append(const __grid_constant__ assay::attention::library::AppendParams params) {
  assay::attention::library::run_append(params);
}
