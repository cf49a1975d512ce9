// SPDX-License-Identifier: MIT
// y = a b for a matrix of bytes, a row by a warp, a byte of it by a lane.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo bytes_one_by_one.cu
extern "C" __global__ void bytes_one_by_one(const signed char* __restrict__ a, const signed char* __restrict__ b,
                                            int* __restrict__ y, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  int sum = 0;
  for (int i = threadIdx.x % 32; i < columns; i += 32)
    sum += a[row * columns + i] * b[i];  // a byte at a time
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
