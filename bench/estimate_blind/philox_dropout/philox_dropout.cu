// SPDX-License-Identifier: MIT
// y = 2 x where a random bit says so, else 0. Ten rounds of Philox 4x32 give a thread the words for its four elements.
extern "C" __global__ void philox_dropout(const float* __restrict__ x, float* __restrict__ y, int groups,
                                          unsigned seed) {
  const int group = blockIdx.x * 256 + threadIdx.x;
  if (group >= groups) return;
  unsigned c0 = group;
  unsigned c1 = 0;
  unsigned c2 = 0;
  unsigned c3 = 0;
  unsigned k0 = seed;
  unsigned k1 = 0;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, c0);
    const unsigned low0 = 0xD2511F53u * c0;
    const unsigned high1 = __umulhi(0xCD9E8D57u, c2);
    const unsigned low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  float4 values = reinterpret_cast<const float4*>(x)[group];
  values.x = c0 >> 31 ? 2.0f * values.x : 0.0f;
  values.y = c1 >> 31 ? 2.0f * values.y : 0.0f;
  values.z = c2 >> 31 ? 2.0f * values.z : 0.0f;
  values.w = c3 >> 31 ? 2.0f * values.w : 0.0f;
  reinterpret_cast<float4*>(y)[group] = values;
}
