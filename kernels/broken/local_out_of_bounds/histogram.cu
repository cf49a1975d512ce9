// SPDX-License-Identifier: MIT
// Broken on purpose: a histogram of eight buckets in a local array. A value of exactly 1 belongs to bucket 8, which the
// array does not have.
namespace {
constexpr int kBuckets = 8;
}

extern "C" __global__ void __launch_bounds__(32)
    count_values(const float* __restrict__ x, float* __restrict__ y, int ROWS, int COLUMNS) {
  const int row = static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x);
  if (row >= ROWS) return;
  float count[kBuckets];
  for (int i = 0; i < kBuckets; ++i) count[i] = 0.0f;
  for (int column = 0; column < COLUMNS; ++column) {
    const int bucket = static_cast<int>(x[static_cast<long long>(row) * COLUMNS + column] * kBuckets);
    count[bucket] += 1.0f;
  }
  for (int i = 0; i < kBuckets; ++i) y[row * kBuckets + i] = count[i];
}
