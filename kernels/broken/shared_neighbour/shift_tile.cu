// SPDX-License-Identifier: MIT
// Broken on purpose (with BROKEN=1): the last thread of a block writes one element behind its array in shared memory.
// The next array lies there, so that no address is bad and no tool for GPUs sees it.
constexpr int kTile = 128;

extern "C" __global__ void shift_tile(const float* x, float* y) {
  __shared__ float s_tile[kTile];
  __shared__ float s_weight[kTile];
  const int first = static_cast<int>(blockIdx.x) * kTile;
  s_weight[threadIdx.x] = 1.0f;
  __syncthreads();
  const int to = BROKEN ? static_cast<int>(threadIdx.x) + 1 : (static_cast<int>(threadIdx.x) + 1) % kTile;
  s_tile[to] = x[first + threadIdx.x];  // one too far
  if (BROKEN && threadIdx.x == 0) s_tile[0] = x[first + kTile - 1];
  __syncthreads();
  y[first + threadIdx.x] = s_tile[(threadIdx.x + 1) % kTile] * s_weight[kTile - 1 - threadIdx.x];
}
