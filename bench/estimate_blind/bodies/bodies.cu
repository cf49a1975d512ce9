// SPDX-License-Identifier: MIT
// The pull of all bodies on each: a thread for each body, the others pass through shared memory 128 at a time.
extern "C" __global__ void bodies(const float4* __restrict__ body, float4* __restrict__ pull, int count) {
  __shared__ float4 s_body[128];
  const int own = blockIdx.x * 128 + threadIdx.x;
  const float4 here = own < count ? body[own] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float x = 0.0f;
  float y = 0.0f;
  float z = 0.0f;
  for (int first = 0; first < count; first += 128) {
    s_body[threadIdx.x] = first + threadIdx.x < count ? body[first + threadIdx.x] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 128; ++i) {
      const float4 other = s_body[i];
      const float dx = other.x - here.x;
      const float dy = other.y - here.y;
      const float dz = other.z - here.z;
      const float near = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f))));
      const float force = other.w * near * near * near;
      x = fmaf(dx, force, x);
      y = fmaf(dy, force, y);
      z = fmaf(dz, force, z);
    }
    __syncthreads();
  }
  if (own < count) pull[own] = make_float4(x, y, z, 0.0f);
}
