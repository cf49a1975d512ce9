// SPDX-License-Identifier: MIT
// Broken on purpose: no bounds. Reads outside of the surface give zero; writes stop the kernel.
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int rows, int columns) {
  const int column = static_cast<int>(blockIdx.x) * TILE + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * TILE + static_cast<int>(threadIdx.y);
  constexpr int kBytes = sizeof(float);
  const float value = surf2Dread<float>(from, column * kBytes, row, cudaBoundaryModeZero);
  surf2Dwrite(value, to, row * kBytes, column);
}
