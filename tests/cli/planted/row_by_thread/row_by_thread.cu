// SPDX-License-Identifier: MIT
// The sums of the rows of a matrix, a row by a thread: neighbouring lanes are a row apart.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo row_by_thread.cu
extern "C" __global__ void row_by_thread(const float* __restrict__ x, float* __restrict__ y, int columns) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < columns; ++i)
    sum += x[row * columns + i];  // each word of a sector by a request of its own
  y[row] = sum;
}
