// SPDX-License-Identifier: MIT
// Tile copies from global to shared memory by TMA, and what orders them with the rest of the program.
#pragma once

#include <cuda.h>

#include "mbarrier.cuh"

namespace assay::attention::hopper {

// One coordinate per dimension of the tensor maps that this folder uses: (head_dim, row, head, batch).
struct TileOrigin {
  int column;
  int row;
  int head;
  int batch;
};

// PTX ISA "prefetch", .tensormap
__device__ __forceinline__ void prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// PTX ISA "cp.async.bulk.tensor", global to shared. Rows and columns outside the tensor arrive as zeros.
__device__ __forceinline__ void load_tile(void* s_tile, const CUtensorMap& map, TileOrigin origin, Mbarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
      "[%6];" ::"r"(shared_address(s_tile)),
      "l"(&map), "r"(origin.column), "r"(origin.row), "r"(origin.head), "r"(origin.batch), "r"(shared_address(&full))
      : "memory");
}

// PTX ISA "cp.async.bulk.tensor", shared to global. Rows and columns outside the tensor are not written.
__device__ __forceinline__ void store_tile(const CUtensorMap& map, TileOrigin origin, const void* s_tile) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
               "r"(origin.column), "r"(origin.row), "r"(origin.head), "r"(origin.batch), "r"(shared_address(s_tile))
               : "memory");
}
// PTX ISA "cp.async.bulk.commit_group" and "cp.async.bulk.wait_group", .read: returns when this thread's stores have
// read their tiles.
__device__ __forceinline__ void wait_stores_read() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// PTX ISA "membar / fence", .proxy.async: ordinary writes to shared memory before it are seen by TMA after
// it.
__device__ __forceinline__ void publish_to_copy_engine() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// PTX ISA "griddepcontrol". Without the launch attribute for it both are free of effect.
__device__ __forceinline__ void allow_next_grid() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__device__ __forceinline__ void wait_previous_grid() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace assay::attention::hopper
