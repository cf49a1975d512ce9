// SPDX-License-Identifier: MIT
// The mean of a vector: sums of blocks, then their sum.
template <int kThreads>
__global__ void block_sums(const float* x, float* partial, int n) {
  __shared__ float s_sum[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  s_sum[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s_sum[threadIdx.x] += s_sum[threadIdx.x + half];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s_sum[0];
}
template __global__ void block_sums<256>(const float*, float*, int);

__global__ void total(const float* partial, float* mean, int n, int blocks) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < blocks; i += 32) sum += partial[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (threadIdx.x == 0) mean[0] = sum / n;
}
