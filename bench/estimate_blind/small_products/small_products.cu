// SPDX-License-Identifier: MIT
// Many products of two matrices of 16 x 16, one block of 256 threads each, both in shared memory.
extern "C" __global__ void small_products(const float* __restrict__ a, const float* __restrict__ b,
                                          float* __restrict__ c) {
  __shared__ float s_a[16][17];
  __shared__ float s_b[16][17];
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  const long long at = static_cast<long long>(blockIdx.x) * 256 + row * 16 + column;
  s_a[row][column] = a[at];
  s_b[row][column] = b[at];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum = fmaf(s_a[row][k], s_b[k][column], sum);
  c[at] = sum;
}
