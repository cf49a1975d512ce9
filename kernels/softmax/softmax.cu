// SPDX-License-Identifier: MIT
// Softmax of each row of a matrix in three sweeps (maximum, sum, result) over registers: a warp for each row of up to
// kShortRow columns, else a block. Rows of up to BLOCK * HELD packs are read from memory once: the kernel is then as
// fast as a copy.
#include "../primitives/block_reduce.cuh"
#include "../primitives/element.cuh"
#include "../primitives/exponential.cuh"
#include "../primitives/reciprocal.cuh"
#include "../primitives/row.cuh"

#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef HELD
#define HELD 4
#endif

namespace assay {
namespace {

template <typename Element>
struct Params {
  const Element* input;  // (rows, columns)
  Element* output;       // (rows, columns)
  int rows;
  int columns;
};

template <typename Team, int kHeld, int kWidth, bool kFull, typename Element>
__device__ __forceinline__ void softmax_row(const Params<Element>& params, int index) {
  const int64_t row_offset = static_cast<int64_t>(index) * params.columns;
  Row<Element, Team, kHeld, kWidth, kFull> row(params.input + row_offset, params.columns);

  float maximum = -INFINITY;
  row.for_each([&](const float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) maximum = fmaxf(maximum, value[i]);
  });
  const float origin = Team::template reduce<Maximum, 0>(maximum);
  const auto power = [&](float value) { return exp2_approximate((value - origin) * kLog2E); };

  float sum = 0.0f;
  row.for_each_held([&](float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum += value[i] = power(value[i]);
  });
  row.for_each_beyond([&](const float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum += power(value[i]);
  });
  const float normalizer = reciprocal_approximate(Team::template reduce<Sum, 1>(sum));

  const auto store = [&](const float(&powers)[kWidth], int column) {
    float result[kWidth];
#pragma unroll
    for (int i = 0; i < kWidth; ++i) result[i] = powers[i] * normalizer;
    store_pack<kWidth>(params.output + row_offset + column, result);
  };
  row.for_each_held(store);
  row.for_each_beyond([&](float(&value)[kWidth], int column) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) value[i] = power(value[i]);
    store(value, column);
  });
}

template <typename Team, int kHeld, int kWidth, typename Element>
__device__ __forceinline__ void softmax_row(const Params<Element>& params, int index) {
  if (fills_registers<Team, kHeld, kWidth>(params.columns)) {
    softmax_row<Team, kHeld, kWidth, true>(params, index);
  } else {
    softmax_row<Team, kHeld, kWidth, false>(params, index);
  }
}

// Rows that are not aligned always have BLOCK threads or a warp: kernel.toml knows them by their length.
template <int kWidth, typename Element>
__device__ __forceinline__ void softmax_rows(const Params<Element>& params) {
  const int block = static_cast<int>(blockIdx.x);
  if (params.columns <= kShortRow) {
    const int row = block * (BLOCK / kWarpThreads) + static_cast<int>(threadIdx.x) / kWarpThreads;
    if (row >= params.rows) return;
    if (kWidth > 1 && params.columns <= kShortRow / 4)
      softmax_row<WarpTeam, kWarpHeld<kWidth, kShortRow / 4>, kWidth>(params, row);
    else
      softmax_row<WarpTeam, kWarpHeld<kWidth, kShortRow>, kWidth>(params, row);
  } else if (kWidth == 1 || blockDim.x == BLOCK) {
    softmax_row<BlockTeam<BLOCK>, HELD, kWidth>(params, block);
  } else if constexpr (kWidth > 1) {
    if (blockDim.x == 2 * BLOCK)
      softmax_row<BlockTeam<2 * BLOCK>, HELD, kWidth>(params, block);
    else
      softmax_row<BlockTeam<4 * BLOCK>, HELD, kWidth>(params, block);
  }
}

template <typename Element>
__device__ __forceinline__ void softmax(const Params<Element>& params) {
  if (rows_aligned<Element>(params.input, params.columns) && rows_aligned<Element>(params.output, params.columns)) {
    softmax_rows<kWidestPack<Element>>(params);
  } else {
    softmax_rows<1>(params);
  }
}

}  // namespace
}  // namespace assay

#define SOFTMAX_ENTRY(dtype)                                                                                     \
  extern "C" __global__ void __launch_bounds__(4 * BLOCK, 256 / BLOCK)                                           \
      softmax_##dtype(const assay::dtype* __restrict__ x, assay::dtype* __restrict__ y, int ROWS, int COLUMNS) { \
    assay::softmax<assay::dtype>({x, y, ROWS, COLUMNS});                                                         \
  }

SOFTMAX_ENTRY(f16)
SOFTMAX_ENTRY(bf16)
SOFTMAX_ENTRY(f32)
