// SPDX-License-Identifier: MIT
// A recurrence in shared memory, where each thread has a word for itself: no barrier orders anything.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo own_words_behind_barriers.cu
extern "C" __global__ void own_words_behind_barriers(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s_value[512];
  const int i = blockIdx.x * 512 + threadIdx.x;
  s_value[threadIdx.x] = x[i];
#pragma unroll 1
  for (int round = 0; round < 32; ++round) {
    s_value[threadIdx.x] = s_value[threadIdx.x] * 0.99f + 0.01f;
    __syncthreads();  // and keeps the value in shared memory
  }
  y[i] = s_value[threadIdx.x];
}
