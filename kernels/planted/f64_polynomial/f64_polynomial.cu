// SPDX-License-Identifier: MIT
// y = a polynomial of degree 15 in x, in float64 although the data is float32.
extern "C" __global__ void f64_polynomial(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double value = x[i];
  double sum = 1.0;
#pragma unroll
  for (int k = 15; k >= 1; --k) sum = sum * (value / 16.0) + 1.0 / k;
  y[i] = static_cast<float>(sum);
}
