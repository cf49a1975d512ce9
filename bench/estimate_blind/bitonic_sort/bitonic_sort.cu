// SPDX-License-Identifier: MIT
// Sorts segments of 1024 elements, one block of 512 threads each, by a bitonic network in shared memory.
extern "C" __global__ void bitonic_sort(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s_value[1024];
  const long long first = static_cast<long long>(blockIdx.x) * 1024;
  s_value[threadIdx.x] = x[first + threadIdx.x];
  s_value[threadIdx.x + 512] = x[first + threadIdx.x + 512];
  for (int size = 2; size <= 1024; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool ascending = (low & size) == 0;
      const float a = s_value[low];
      const float b = s_value[low + stride];
      if ((a > b) == ascending) {
        s_value[low] = b;
        s_value[low + stride] = a;
      }
    }
  }
  __syncthreads();
  y[first + threadIdx.x] = s_value[threadIdx.x];
  y[first + threadIdx.x + 512] = s_value[threadIdx.x + 512];
}
