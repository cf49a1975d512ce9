// SPDX-License-Identifier: MIT
// y[i] = x[j], where j has the digits of i in base 7 and 13 exchanged: i = (a*7 + b)*13 + c, j = (a*13 + c)*7 + b.
extern "C" __global__ void index_arithmetic(const float* __restrict__ x, float* __restrict__ y, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long whole = n / 91 * 91;
  const long long a = i / 91;
  const long long b = i / 13 % 7;
  const long long c = i % 13;
  y[i] = x[i < whole ? (a * 13 + c) * 7 + b : i];
}
