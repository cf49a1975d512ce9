// SPDX-License-Identifier: MIT
// y = the sum of the six lowest digits of x in a base that only the caller knows: six divisions and no address among
// them. The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 digits_of_numbers.cu
extern "C" __global__ void digits_of_numbers(const int* x, int* y, int n, int base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = x[i];
  int sum = 0;
#pragma unroll
  for (int digit = 0; digit < 6; ++digit) {
    sum += left % base;
    left /= base;
  }
  y[i] = sum;
}
