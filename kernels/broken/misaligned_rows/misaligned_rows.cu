// SPDX-License-Identifier: MIT
// Broken on purpose: 16-byte asynchronous copies into shared rows of D + 1 halves. The extra half was meant to spread
// rows over the banks; it also moves row 1 to byte 130, and a 16-byte copy must go to a multiple of 16.
#include <cstdint>
#include <cuda_fp16.h>

#ifndef BLOCK
#define BLOCK 64
#endif

namespace {
constexpr int kHeadDim = 64;
constexpr int kPaddedDim = kHeadDim + 1;
constexpr int kChunkHalves = 8;  // 16 bytes
}  // namespace

extern "C" __global__ void __launch_bounds__(BLOCK)
    stage_rows(const __half* __restrict__ x, __half* __restrict__ y, int ROWS) {
  __shared__ __align__(128) __half s_rows[BLOCK][kPaddedDim];
  const int row = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);  // one row per thread
  if (row < ROWS) {
    const __half* g_row = x + static_cast<int64_t>(row) * kHeadDim;
    for (int column = 0; column < kHeadDim; column += kChunkHalves) {
      const auto s_chunk = static_cast<uint32_t>(__cvta_generic_to_shared(&s_rows[threadIdx.x][column]));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s_chunk), "l"(g_row + column) : "memory");
    }
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  if (row < ROWS) {
    for (int column = 0; column < kHeadDim; ++column)
      y[static_cast<int64_t>(row) * kHeadDim + column] = s_rows[threadIdx.x][column];
  }
}
