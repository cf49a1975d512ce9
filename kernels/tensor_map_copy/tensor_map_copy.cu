// SPDX-License-Identifier: MIT
// y = 2 x, tile by tile: TMA loads a tile to shared memory through one tensor map and stores it
// through another. What sticks out of the matrix arrives as zeros and is not written.
#include <cstdint>
#include <cuda_fp16.h>

#include "../primitives/mbarrier.cuh"

#ifndef TILE_ROWS
#define TILE_ROWS 32
#endif

namespace {

constexpr int kTileRows = TILE_ROWS;
constexpr int kTileColumns = 64;  // 128 bytes
constexpr uint32_t kTileBytes = kTileRows * kTileColumns * sizeof(half);

struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

// PTX ISA "cp.async.bulk.tensor"
__device__ void load_tile(half* s_tile, const TensorMap& map, int column, int row, uint64_t& s_barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(assay::shared_address(s_tile)),
      "l"(&map), "r"(column), "r"(row), "r"(assay::shared_address(&s_barrier))
      : "memory");
}

__device__ void store_tile(const TensorMap& map, const half* s_tile, int column, int row) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(column), "r"(row), "r"(assay::shared_address(s_tile))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

}  // namespace

extern "C" __global__ void tensor_map_copy(const half* /*g_x*/, half* /*g_y*/, const __grid_constant__ TensorMap x_map,
                                           const __grid_constant__ TensorMap y_map) {
  __shared__ alignas(128) half s_tile[kTileRows * kTileColumns];  // (tile_rows, tile_columns)
  __shared__ uint64_t s_full;
  const int column = blockIdx.x * kTileColumns;
  const int row = blockIdx.y * kTileRows;

  if (threadIdx.x == 0) {
    assay::init(s_full);
    assay::expect_bytes(s_full, kTileBytes);
    load_tile(s_tile, x_map, column, row, s_full);
  }
  __syncthreads();
  while (!assay::first_phase_done(s_full)) {
  }

  for (int i = threadIdx.x; i < kTileRows * kTileColumns; i += blockDim.x) s_tile[i] = s_tile[i] + s_tile[i];

  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // TMA sees what was just written
  __syncthreads();
  if (threadIdx.x == 0) store_tile(y_map, s_tile, column, row);
}
