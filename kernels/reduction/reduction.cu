// SPDX-License-Identifier: MIT
// The sum of each row. One block of threads per row; each thread adds up every BLOCK-th pack in ACCUMULATORS
// independent sums, so that several loads are on their way at once and rounding errors stay small; then warp shuffles
// and one exchange through shared memory. No atomics: the order of additions is fixed and results repeat exactly.
#include "../primitives/block_reduce.cuh"
#include "../primitives/row.cuh"

#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef ACCUMULATORS
#define ACCUMULATORS 4
#endif

namespace assay {
namespace {

struct Params {
  const float* input;  // (rows, columns)
  float* output;       // (rows)
  int columns;
};

template <int kWidth>
__device__ __forceinline__ float thread_sum(const float* g_row, int columns) {
  constexpr int kStride = BLOCK * kWidth;
  float sum[ACCUMULATORS][kWidth] = {};
  int column = static_cast<int>(threadIdx.x) * kWidth;
  for (; column + (ACCUMULATORS - 1) * kStride < columns; column += ACCUMULATORS * kStride) {
    float value[ACCUMULATORS][kWidth];
#pragma unroll
    for (int a = 0; a < ACCUMULATORS; ++a) load_pack<kWidth>(value[a], g_row + column + a * kStride);
#pragma unroll
    for (int a = 0; a < ACCUMULATORS; ++a)
#pragma unroll
      for (int i = 0; i < kWidth; ++i) sum[a][i] += value[a][i];
  }
  for (; column < columns; column += kStride) {
    float value[kWidth];
    load_pack<kWidth>(value, g_row + column);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum[0][i] += value[i];
  }
  float total = 0.0f;
#pragma unroll
  for (int a = 0; a < ACCUMULATORS; ++a)
#pragma unroll
    for (int i = 0; i < kWidth; ++i) total += sum[a][i];
  return total;
}

__device__ __forceinline__ void reduce_row(const Params& params) {
  const float* g_row = params.input + static_cast<int64_t>(blockIdx.x) * params.columns;
  const float partial = rows_aligned<f32>(params.input, params.columns)
                            ? thread_sum<kWidestPack<f32>>(g_row, params.columns)
                            : thread_sum<1>(g_row, params.columns);
  const float total = block_reduce<Sum, BLOCK>(partial);
  if (threadIdx.x == 0) params.output[blockIdx.x] = total;
}

}  // namespace
}  // namespace assay

extern "C" __global__ void __launch_bounds__(BLOCK)
    row_sum_f32(const float* __restrict__ x, float* __restrict__ y, int COLUMNS) {
  assay::reduce_row({x, y, COLUMNS});
}
