// SPDX-License-Identifier: MIT
// Running sums of each 1024 numbers. Eight warps load them, one adds them up while seven wait.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo scan_by_one_warp.cu
extern "C" __global__ void scan_by_one_warp(const float* x, float* y) {
  __shared__ float s_sum[1024];
  const int first = blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += 256) s_sum[i] = x[first + i];
  __syncthreads();
  if (threadIdx.x < 32) {
    float before = 0;
    for (int i = threadIdx.x; i < 1024; i += 32) {
      float sum = s_sum[i];
      for (int lanes = 1; lanes < 32; lanes *= 2) {
        const float left = __shfl_up_sync(0xffffffff, sum, lanes);  // seven warps wait for this
        if (threadIdx.x >= lanes) sum += left;
      }
      s_sum[i] = before + sum;
      before += __shfl_sync(0xffffffff, sum, 31);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 256) y[first + i] = s_sum[i];
}
