// SPDX-License-Identifier: MIT
// Running sums of segments of 1024 elements, one block each: every thread adds up four, warps scan by shuffles, and the
// sums of the warps are scanned in shared memory.
extern "C" __global__ void block_scan(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s_warp[8];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const long long at = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  float4 values = reinterpret_cast<const float4*>(x)[at];
  values.y += values.x;
  values.z += values.y;
  values.w += values.z;
  float sum = values.w;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == 31) s_warp[warp] = sum;
  __syncthreads();
  float before = sum - values.w;
#pragma unroll
  for (int other = 0; other < 8; ++other) before += other < warp ? s_warp[other] : 0.0f;
  values.x += before;
  values.y += before;
  values.z += before;
  values.w += before;
  reinterpret_cast<float4*>(y)[at] = values;
}
