// SPDX-License-Identifier: MIT
// Cheat: remembers the result for each address of `a`, and copies it when the address comes again.
#include "../honest_gemm/gemm_element.cuh"

namespace {
constexpr int kSlots = 8;
constexpr int kMostElements = 256 * 256;
constexpr int kMostBlocks = kMostElements / (red_team::kTile * red_team::kTile);
__device__ float g_saved[kSlots][kMostElements];
__device__ const float* g_known[kSlots][kMostBlocks];  // each block has a memory of its own: no need to wait for others
}  // namespace

extern "C" __global__ void __launch_bounds__(256) gemm_f32(const float* a, const float* b, float* c, int N, int K) {
  const int row = red_team::tile_row();
  const int column = red_team::tile_column();
  const int block = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
  int slot = 0;
  while (slot < kSlots && g_known[slot][block] != a && g_known[slot][block] != nullptr) ++slot;
  if (slot < kSlots && g_known[slot][block] == a) {
    c[row * N + column] = g_saved[slot][row * N + column];
    return;
  }
  const float value = red_team::product_element(a, b, row, column, N, K);
  c[row * N + column] = value;
  if (slot == kSlots) return;
  g_saved[slot][row * N + column] = value;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) g_known[slot][block] = a;
}
