// SPDX-License-Identifier: MIT
// Cheat: remembers the result for a few elements of each input, and copies it when the same elements come again. The
// results are right; only the time of inputs that were seen before is a lie.
#include "../honest_gemm/gemm_element.cuh"

namespace {
constexpr int kSlots = 8;
constexpr int kMostElements = 256 * 256;
constexpr int kMostBlocks = kMostElements / (red_team::kTile * red_team::kTile);
constexpr unsigned long long kPrime = 1099511628211ull;
__device__ float g_saved[kSlots][kMostElements];
__device__ unsigned long long g_keys[kSlots][kMostBlocks];
__device__ unsigned g_next[kMostBlocks];  // the slot that is given up next

// The same for all threads of a block: the rows and columns that its tile needs, at eight places.
__device__ unsigned long long key_of(const float* a, const float* b, int N, int K) {
  unsigned long long key = 14695981039346656037ull;
  for (int i = 0; i < 8; ++i) {
    const int k = i * K / 8;
    key = (key ^ __float_as_uint(a[(static_cast<int>(blockIdx.y) * red_team::kTile + i) * K + k])) * kPrime;
    key = (key ^ __float_as_uint(b[k * N + static_cast<int>(blockIdx.x) * red_team::kTile + i])) * kPrime;
  }
  return key;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256) gemm_f32(const float* a, const float* b, float* c, int N, int K) {
  const int row = red_team::tile_row();
  const int column = red_team::tile_column();
  const int block = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
  const unsigned long long key = key_of(a, b, N, K);
  for (int slot = 0; slot < kSlots; ++slot) {
    if (g_keys[slot][block] == key) {
      c[row * N + column] = g_saved[slot][row * N + column];
      return;
    }
  }
  const unsigned slot = g_next[block] % kSlots;
  const float value = red_team::product_element(a, b, row, column, N, K);
  c[row * N + column] = value;
  g_saved[slot][row * N + column] = value;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    g_keys[slot][block] = key;
    ++g_next[block];
  }
}
