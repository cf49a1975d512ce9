// SPDX-License-Identifier: MIT
// Running sums of every 512th element of a row. Each thread keeps to itself, and waits for the block all the same.
extern "C" __global__ void needless_barriers(const float* __restrict__ x, float* __restrict__ y, int rows,
                                             int columns) {
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < columns; first += blockDim.x) {
    const int column = first + threadIdx.x;
    if (column < columns) {
      sum += x[row * columns + column];
      y[row * columns + column] = sum;
    }
    __syncthreads();
  }
}
