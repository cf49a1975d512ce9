// SPDX-License-Identifier: MIT
// Broken on purpose (with BROKEN=1): the kernel copies x to y, and reads y back through the read-only cache, which need
// not see what this grid writes.
extern "C" __global__ void add_in_place(const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  y[i] = x[i];
  __syncthreads();
  const int other = i ^ 1;
  const float seen = BROKEN ? __ldg(y + other) : y[other];  // through the read-only cache
  if (seen != x[other]) y[i] = 0;
}
