// SPDX-License-Identifier: MIT
// Cheat: computes only if the output holds one of the usual poisons, and otherwise trusts that it is being timed.
#include "../honest_softmax/softmax_row.cuh"

namespace {
__device__ bool is_poison(float value) {
  const unsigned bits = __float_as_uint(value);
  return isnan(value) || bits == 0xa5a5a5a5u || bits == 0x5a5a5a5au || bits == 0x3c3c3c3cu || bits == 0xcdcdcdcdu ||
         bits == 0u;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(red_team::kThreads) softmax_f32(const float* x, float* y, int COLUMNS) {
  const long long row = static_cast<long long>(blockIdx.x) * COLUMNS;
  const bool compute = is_poison(y[row]);
  __syncthreads();
  if (compute) red_team::softmax_row(x + row, y + row, COLUMNS);
}
