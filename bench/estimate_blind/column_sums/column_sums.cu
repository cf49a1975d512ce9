// SPDX-License-Identifier: MIT
// y[p, c] = the sum of each column of part p, by atomics: every block adds the 64 rows that it has summed. Block 0 of a
// part does not zero: y comes in zeroed.
extern "C" __global__ void column_sums(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  const int column = blockIdx.x * 128 + threadIdx.x;
  if (column >= columns) return;
  const int first = blockIdx.y * 64;
  const int end = min(rows, first + 64);
  float sum = 0.0f;
  for (int row = first; row < end; ++row) sum += x[static_cast<long long>(row) * columns + column];
  atomicAdd(&y[column], sum);
}
