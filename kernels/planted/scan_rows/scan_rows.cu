// SPDX-License-Identifier: MIT
// Running sums of each row. A warp takes 32 elements at a time; five shuffles make their sums, a sixth carries on.
extern "C" __global__ void scan_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  const int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows) return;
  const int lane = threadIdx.x;
  float before = 0.0f;
  for (int first = 0; first < columns; first += 32) {
    const int column = first + lane;
    float sum = column < columns ? x[row * columns + column] : 0.0f;
    for (int distance = 1; distance < 32; distance *= 2) {
      const float other = __shfl_up_sync(0xffffffffu, sum, distance);
      if (lane >= distance) sum += other;
    }
    sum += before;
    before = __shfl_sync(0xffffffffu, sum, 31);
    if (column < columns) y[row * columns + column] = sum;
  }
}
