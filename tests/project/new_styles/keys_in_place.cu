// SPDX-License-Identifier: MIT
// Keys that are made and sorted where they are, and names of the source's own for types.
typedef unsigned int uint32;
static __device__ __forceinline__ uint32 xorshift(uint32 s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
__global__ void init_keys(uint32* keys, unsigned long long total, uint32 seed) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < total) keys[i] = xorshift(seed + (uint32)i * 2654435761u);
}
__global__ void bitonic_step(uint32* keys, int j, int k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i ^ j;
  if (p > i) {
    uint32 a = keys[i], b = keys[p];
    if (((i & k) == 0) ? a > b : a < b) {
      keys[i] = b;
      keys[p] = a;
    }
  }
}
