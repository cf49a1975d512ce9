// SPDX-License-Identifier: MIT
// Broken on purpose: the block meets at a barrier, and nobody waits for the mbarrier that counts the bytes of the copy.
// What is read is what lay in shared memory before, unless the copy happens to be fast.
#include "../bulk_tile.cuh"

extern "C" __global__ void copy_tiles(const float* x, float* y) {
  __shared__ assay::BulkTile s_tile;
  const int first = static_cast<int>(blockIdx.x) * assay::kTileElements;
  if (threadIdx.x == 0) assay::start_copy(s_tile, x + first, assay::kTileBytes);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < assay::kTileElements; i += static_cast<int>(blockDim.x))
    y[first + i] = s_tile.values[i];
}
