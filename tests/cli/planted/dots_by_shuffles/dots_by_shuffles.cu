// SPDX-License-Identifier: MIT
// 32 dot products of a warp, each summed over the lanes by itself. The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_90 dots_by_shuffles.cu
extern "C" __global__ void dots_by_shuffles(const float* __restrict__ x, const float* __restrict__ w,
                                            float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0;
  float mine = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) {
    float sum = v * w[k * 32 + threadIdx.x % 32];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == k) mine = sum;
  }
  if (i < n) y[i] = mine;
}
