// SPDX-License-Identifier: MIT
// Broken on purpose: rows are read four floats at a time, whatever their length. Row 1 of a matrix with 129 columns
// starts at byte 516, which is no multiple of 16.
extern "C" __global__ void __launch_bounds__(32)
    row_sum(const float* __restrict__ x, float* __restrict__ y, int COLUMNS) {
  const float* g_row = x + static_cast<long long>(blockIdx.x) * COLUMNS;
  const int lane = static_cast<int>(threadIdx.x);
  const int packs = COLUMNS / 4;
  float sum = 0.0f;
  for (int i = lane; i < packs; i += 32) {
    const float4 value = reinterpret_cast<const float4*>(g_row)[i];
    sum += value.x + value.y + value.z + value.w;
  }
  for (int i = packs * 4 + lane; i < COLUMNS; i += 32) sum += g_row[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (lane == 0) y[blockIdx.x] = sum;
}
