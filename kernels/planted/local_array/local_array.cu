// SPDX-License-Identifier: MIT
// y = the sum over 64 steps of a table of 32 entries of the thread's own, read and written where the data says.
extern "C" __global__ void local_array(const int* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float table[32];
  for (int k = 0; k < 32; ++k) table[k] = static_cast<float>(k);
  int at = x[i];
  float sum = 0.0f;
  for (int step = 0; step < 64; ++step) {
    sum += table[at & 31];
    table[(at * 7) & 31] = sum * 0.001f;
    at = at * 5 + 1;
  }
  y[i] = sum;
}
