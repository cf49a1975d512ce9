// SPDX-License-Identifier: MIT
// The honest twin of the cheats on a matrix product: must pass every guard.
#include "gemm_element.cuh"

extern "C" __global__ void __launch_bounds__(256) gemm_f32(const float* a, const float* b, float* c, int N, int K) {
  const int row = red_team::tile_row();
  const int column = red_team::tile_column();
  c[row * N + column] = red_team::product_element(a, b, row, column, N, K);
}
