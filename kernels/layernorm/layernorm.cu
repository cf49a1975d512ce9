// SPDX-License-Identifier: MIT
// Layer normalisation of each row: y = (x - mean) / sqrt(variance + eps) * weight + bias. A warp
// for each row of up to kShortRow columns, else a block; the row stays in registers, so that the variance can be summed
// from the differences to the mean: the one-sweep formula, mean of squares minus square of the mean, loses all digits
// when the mean is large.
#include "../primitives/block_reduce.cuh"
#include "../primitives/element.cuh"
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
  const Element* input;   // (rows, columns)
  const Element* weight;  // (columns)
  const Element* bias;    // (columns)
  Element* output;        // (rows, columns)
  int rows;
  int columns;
  float epsilon;
};

template <typename Team, int kHeld, int kWidth, bool kFull, typename Element>
__device__ __forceinline__ void normalize_row(const Params<Element>& params, int index) {
  const int64_t row_offset = static_cast<int64_t>(index) * params.columns;
  Row<Element, Team, kHeld, kWidth, kFull> row(params.input + row_offset, params.columns);
  const float count = static_cast<float>(params.columns);
  const float part = reciprocal_approximate(count);

  float sum = 0.0f;
  row.for_each([&](const float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum += value[i];
  });
  const float mean = divide(Team::template reduce<Sum>(sum), count, part);

  float squares = 0.0f;
  const auto centre = [&](float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      value[i] -= mean;
      squares += value[i] * value[i];
    }
  };
  row.for_each(centre);
  const float factor = rsqrtf(divide(Team::template reduce<Sum>(squares), count, part) + params.epsilon);

  const auto store = [&](const float(&centred)[kWidth], int column) {
    float weight[kWidth];
    float bias[kWidth];
    float result[kWidth];
    load_pack<kWidth>(weight, params.weight + column);
    load_pack<kWidth>(bias, params.bias + column);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) result[i] = centred[i] * factor * weight[i] + bias[i];
    store_pack<kWidth>(params.output + row_offset + column, result);
  };
  row.for_each_held(store);
  row.for_each_beyond([&](float(&value)[kWidth], int column) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) value[i] -= mean;
    store(value, column);
  });
}

template <typename Team, int kHeld, int kWidth, typename Element>
__device__ __forceinline__ void normalize_row(const Params<Element>& params, int index) {
  if (fills_registers<Team, kHeld, kWidth>(params.columns)) {
    normalize_row<Team, kHeld, kWidth, true>(params, index);
  } else {
    normalize_row<Team, kHeld, kWidth, false>(params, index);
  }
}

// Rows that are not aligned always have BLOCK threads or a warp: kernel.toml knows them by their length.
template <int kWidth, typename Element>
__device__ __forceinline__ void normalize_rows(const Params<Element>& params) {
  const int block = static_cast<int>(blockIdx.x);
  if (params.columns <= kShortRow) {
    const int row = block * (BLOCK / kWarpThreads) + static_cast<int>(threadIdx.x) / kWarpThreads;
    if (row >= params.rows) return;
    if (kWidth > 1 && params.columns <= kShortRow / 4)
      normalize_row<WarpTeam, kWarpHeld<kWidth, kShortRow / 4>, kWidth>(params, row);
    else
      normalize_row<WarpTeam, kWarpHeld<kWidth, kShortRow>, kWidth>(params, row);
  } else if (kWidth == 1 || blockDim.x == BLOCK) {
    normalize_row<BlockTeam<BLOCK>, HELD, kWidth>(params, block);
  } else if constexpr (kWidth > 1) {
    if (blockDim.x == 2 * BLOCK)
      normalize_row<BlockTeam<2 * BLOCK>, HELD, kWidth>(params, block);
    else
      normalize_row<BlockTeam<4 * BLOCK>, HELD, kWidth>(params, block);
  }
}

template <typename Element>
__device__ __forceinline__ void normalize(const Params<Element>& params) {
  const bool aligned =
      rows_aligned<Element>(params.input, params.columns) && rows_aligned<Element>(params.output, params.columns) &&
      rows_aligned<Element>(params.weight, params.columns) && rows_aligned<Element>(params.bias, params.columns);
  if (aligned) {
    normalize_rows<kWidestPack<Element>>(params);
  } else {
    normalize_rows<1>(params);
  }
}

}  // namespace
}  // namespace assay

#define LAYERNORM_ENTRY(dtype)                                                                                 \
  extern "C" __global__ void __launch_bounds__(4 * BLOCK, 256 / BLOCK) layernorm_##dtype(                      \
      const assay::dtype* __restrict__ x, const assay::dtype* __restrict__ weight,                             \
      const assay::dtype* __restrict__ bias, assay::dtype* __restrict__ y, int ROWS, int COLUMNS, float eps) { \
    assay::normalize<assay::dtype>({x, weight, bias, y, ROWS, COLUMNS, eps});                                  \
  }

LAYERNORM_ENTRY(f16)
LAYERNORM_ENTRY(bf16)
LAYERNORM_ENTRY(f32)
