// SPDX-License-Identifier: MIT
// 256 bins for each part, counted in shared memory.
extern "C" __global__ void histogram_shared(const int* __restrict__ x, int* __restrict__ y, int size) {
  __shared__ int s_bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s_bins[i] = 0;
  __syncthreads();
  const int* part = x + static_cast<long long>(blockIdx.x) * size;
  for (int i = threadIdx.x; i < size; i += blockDim.x) atomicAdd(&s_bins[part[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) y[blockIdx.x * 256 + i] = s_bins[i];
}
