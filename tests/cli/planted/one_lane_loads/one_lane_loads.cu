// SPDX-License-Identifier: MIT
// y[i] = x[i ^ 1] + 1 by way of shared memory, which one lane of each warp fills.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo one_lane_loads.cu
extern "C" __global__ void one_lane_loads(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s_row[8][32];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int first = (blockIdx.x * 8 + warp) * 256;
  for (int i = first; i < first + 256; i += 32) {
    if (lane == 0)
      for (int k = 0; k < 32; ++k) s_row[warp][k] = x[i + k];  // the other lanes have nothing to do
    __syncwarp();
    y[i + lane] = s_row[warp][lane ^ 1] + 1.0f;
    __syncwarp();
  }
}
