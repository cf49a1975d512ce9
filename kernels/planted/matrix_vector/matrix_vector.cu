// SPDX-License-Identifier: MIT
// y = A x, a warp for each row.
extern "C" __global__ void matrix_vector(const float* __restrict__ a, const float* __restrict__ x,
                                         float* __restrict__ y, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 32) sum = fmaf(a[static_cast<long long>(row) * columns + i], x[i], sum);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (threadIdx.x == 0) y[row] = sum;
}
