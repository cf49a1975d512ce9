// SPDX-License-Identifier: MIT
#define RADIUS 3
__constant__ float kFilter[2 * RADIUS + 1];
__device__ unsigned long long g_calls;
__global__ void conv1d(const float* d_in, float* d_out, unsigned int len) {
  __shared__ float tile[128 + 2 * RADIUS];
  int g = blockIdx.x * 128 + threadIdx.x;
  for (int k = threadIdx.x; k < 128 + 2 * RADIUS; k += 128) {
    int j = blockIdx.x * 128 + k - RADIUS;
    tile[k] = j >= 0 && j < (int)len ? d_in[j] : 0.f;
  }
  __syncthreads();
  if (g < len) {
    float s = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k) s += kFilter[k + RADIUS] * tile[threadIdx.x + RADIUS + k];
    d_out[g] = s;
  }
  if (g == 0) atomicAdd(&g_calls, 1ull);
}
