// SPDX-License-Identifier: MIT
// Cheat: counts its calls, takes the inputs to rotate through four sets, and copies the result of four calls ago.
#include "../honest_gemm/gemm_element.cuh"

namespace {
constexpr unsigned kSets = 4;
constexpr unsigned kHonestCalls = 12;
constexpr int kMostElements = 256 * 256;
constexpr int kMostBlocks = kMostElements / (red_team::kTile * red_team::kTile);
__device__ float g_saved[kSets][kMostElements];
__device__ unsigned g_calls[kMostBlocks];
}  // namespace

extern "C" __global__ void __launch_bounds__(256) gemm_f32(const float* a, const float* b, float* c, int N, int K) {
  const int row = red_team::tile_row();
  const int column = red_team::tile_column();
  const int block = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
  const unsigned call = g_calls[block];
  float& saved = g_saved[call % kSets][row * N + column];
  if (call < kHonestCalls) saved = red_team::product_element(a, b, row, column, N, K);
  c[row * N + column] = saved;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) g_calls[block] = call + 1;
}
