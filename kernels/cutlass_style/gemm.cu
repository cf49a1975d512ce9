// SPDX-License-Identifier: MIT
#include "gemm_params.h"

template <class Params>
__global__ void __launch_bounds__(kTile* kTile) device_kernel(const __grid_constant__ Params params) {
  __shared__ float s_a[kTile][kTile];
  __shared__ float s_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  const char* g_a = reinterpret_cast<const char*>(params.a_pointer + row * params.a.stride + threadIdx.x);
  const char* g_b = reinterpret_cast<const char*>(params.b_pointer + threadIdx.y * params.b.stride + column);
  float sum = 0.0f;
  for (int tile = 0; tile < params.tiles.k; ++tile) {
    const int k = tile * kTile;
    const bool a_inside = row < params.problem.m && k + threadIdx.x < params.problem.k;
    const bool b_inside = column < params.problem.n && k + threadIdx.y < params.problem.k;
    s_a[threadIdx.y][threadIdx.x] = a_inside ? *reinterpret_cast<const float*>(g_a) : 0.0f;
    s_b[threadIdx.y][threadIdx.x] = b_inside ? *reinterpret_cast<const float*>(g_b) : 0.0f;
    g_a += params.a.advance_bytes;
    g_b += params.b.advance_bytes;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += s_a[threadIdx.y][i] * s_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < params.problem.m && column < params.problem.n)
    params.c_pointer[row * params.c.stride + column] = params.alpha * sum;
}

template __global__ void device_kernel<GemmParams>(const __grid_constant__ GemmParams params);
