// SPDX-License-Identifier: MIT
// Broken on purpose: the mbarrier expects twice the bytes that the copy brings. Its phase never completes, and all
// threads wait for ever.
#include "../bulk_tile.cuh"

extern "C" __global__ void copy_tiles(const float* x, float* y) {
  __shared__ assay::BulkTile s_tile;
  const int first = static_cast<int>(blockIdx.x) * assay::kTileElements;
  if (threadIdx.x == 0) assay::start_copy(s_tile, x + first, 2 * assay::kTileBytes);
  __syncthreads();
  while (!assay::first_phase_done(s_tile.full)) {
  }
  for (int i = static_cast<int>(threadIdx.x); i < assay::kTileElements; i += static_cast<int>(blockDim.x))
    y[first + i] = s_tile.values[i];
}
