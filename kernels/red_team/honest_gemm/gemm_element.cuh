// SPDX-License-Identifier: MIT
// One element of a product of matrices in row-major order, summed from left to right: what the cheats pretend to do.
#pragma once

namespace red_team {

constexpr int kTile = 16;  // a block computes kTile x kTile elements, one for each thread

__device__ __forceinline__ int tile_row() {
  return static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
}
__device__ __forceinline__ int tile_column() {
  return static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
}

__device__ __forceinline__ float product_element(const float* g_a, const float* g_b, int row, int column, int N,
                                                 int K) {
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += g_a[row * K + k] * g_b[k * N + column];
  return sum;
}

}  // namespace red_team
