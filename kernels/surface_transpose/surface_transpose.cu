// SPDX-License-Identifier: MIT
// y = x transposed. Surfaces are read and written by rows of bytes and whole rows: x counts bytes, y rows.
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    surface_transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int rows, int columns) {
  const int column = static_cast<int>(blockIdx.x) * TILE + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * TILE + static_cast<int>(threadIdx.y);
  if (row >= rows || column >= columns) return;
  constexpr int kBytes = sizeof(float);
  const float value = surf2Dread<float>(from, column * kBytes, row);
  surf2Dwrite(value, to, row * kBytes, column);
}
