// SPDX-License-Identifier: MIT
// y = A x for a sparse matrix: a warp for each row, of which `length` entries of WIDTH are in use.
extern "C" __global__ void sparse_rows(const float* __restrict__ value, const int* __restrict__ column,
                                       const int* __restrict__ length, const float* __restrict__ x,
                                       float* __restrict__ y, int rows, int width) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int count = length[row];
  const long long first = static_cast<long long>(row) * width;
  float sum = 0.0f;
  for (int i = lane; i < count; i += 32) sum = fmaf(value[first + i], x[column[first + i]], sum);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (lane == 0) y[row] = sum;
}
