// SPDX-License-Identifier: MIT
// Layer normalisation of each row: y = (x - mean) / sqrt(variance + eps) * weight + bias. A warp for each row of up to
// 2 KB, else a block; the row stays in registers, so that the variance can be summed from the differences to the mean:
// the one-sweep formula, mean of squares minus square of the mean, loses all digits when the mean is large.
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

// Columns of the longest row that has a warp. kernel.toml chooses the team by the same number.
template <typename Element>
inline constexpr int kWarpRow = 2048 / static_cast<int>(sizeof(Element));
inline constexpr int kShortestRow = 256;  // columns: rows of fewer than kWarpRow that take fewer registers

struct Moments {
  float mean;
  float factor;  // 1 / sqrt(variance + epsilon)
};

// Takes the mean off the values that the row holds.
template <typename Team, int kWidth, typename Row>
__device__ __forceinline__ Moments centre(Row& row, int columns, float epsilon) {
  const float count = static_cast<float>(columns);
  const float part = reciprocal_approximate(count);

  float sum = 0.0f;
  row.for_each([&](const float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum += value[i];
  });
  const float mean = divide(Team::template reduce<Sum, 0>(sum), count, part);

  float squares = 0.0f;
  row.for_each([&](float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      value[i] -= mean;
      squares += value[i] * value[i];
    }
  });
  return {mean, rsqrtf(divide(Team::template reduce<Sum, 1>(squares), count, part) + epsilon)};
}

template <int kWidth, typename Element>
__device__ __forceinline__ void store_result(Element* g_output, const float (&centred)[kWidth], float factor,
                                             const float (&weight)[kWidth], const float (&bias)[kWidth]) {
  float result[kWidth];
#pragma unroll
  for (int i = 0; i < kWidth; ++i) result[i] = centred[i] * factor * weight[i] + bias[i];
  store_pack<kWidth>(g_output, result);
}

// Reads weight and bias when they are needed.
template <typename Team, int kHeld, int kWidth, bool kFull, typename Element>
__device__ __forceinline__ void normalize_any_row(const Params<Element>& params, int index) {
  const int64_t row_offset = static_cast<int64_t>(index) * params.columns;
  Row<Element, Team, kHeld, kWidth, kFull> row(params.input + row_offset, params.columns);
  const Moments moments = centre<Team, kWidth>(row, params.columns, params.epsilon);
  const auto store = [&](const float(&centred)[kWidth], int column) {
    float weight[kWidth];
    float bias[kWidth];
    load_pack<kWidth>(weight, params.weight + column);
    load_pack<kWidth>(bias, params.bias + column);
    store_result<kWidth>(params.output + row_offset + column, centred, moments.factor, weight, bias);
  };
  row.for_each_held(store);
  row.for_each_beyond([&](float(&value)[kWidth], int column) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) value[i] -= moments.mean;
    store(value, column);
  });
}

// Asks for weight and bias together with the row, all of which is in registers: memory is waited for once.
template <typename Team, int kHeld, int kWidth, typename Element>
__device__ __forceinline__ void normalize_narrow_row(const Params<Element>& params, int index) {
  using Columns = Row<Element, Team, kHeld, kWidth, true>;
  const int64_t row_offset = static_cast<int64_t>(index) * params.columns;
  Columns row(params.input + row_offset, params.columns);
  const Columns weight(params.weight, params.columns);
  const Columns bias(params.bias, params.columns);
  const Moments moments = centre<Team, kWidth>(row, params.columns, params.epsilon);
#pragma unroll
  for (int i = 0; i < kHeld; ++i)
    store_result<kWidth>(params.output + row_offset + Columns::column(i), row.held(i), moments.factor, weight.held(i),
                         bias.held(i));
}

template <typename Team, int kHeld, int kWidth, typename Element>
__device__ __forceinline__ void normalize_row(const Params<Element>& params, int index) {
  if (fills_registers<Team, kHeld, kWidth>(params.columns)) {
    normalize_any_row<Team, kHeld, kWidth, true>(params, index);
  } else {
    normalize_any_row<Team, kHeld, kWidth, false>(params, index);
  }
}

// A warp for each row, so that a block has several.
struct Warps {
  static constexpr int kThreads = BLOCK;
  template <int kWidth, typename Element>
  __device__ __forceinline__ static void normalize(const Params<Element>& params) {
    const int row = static_cast<int>(blockIdx.x * (BLOCK / kWarpThreads) + threadIdx.x / kWarpThreads);
    if (row >= params.rows) return;
    if (kWidth > 1 && params.columns <= kShortestRow)
      normalize_row<WarpTeam, kWarpHeld<kWidth, kShortestRow>, kWidth>(params, row);
    else
      normalize_row<WarpTeam, kWarpHeld<kWidth, kWarpRow<Element>>, kWidth>(params, row);
  }
};

// A block of so many threads for each row.
template <int kBlock>
struct Block {
  static constexpr int kThreads = kBlock;
  template <int kWidth, typename Element>
  __device__ __forceinline__ static void normalize(const Params<Element>& params) {
    normalize_row<BlockTeam<kBlock>, HELD, kWidth>(params, static_cast<int>(blockIdx.x));
  }
};

// A block for each row of exactly kNumbers a thread, which leaves registers for weights, and for more blocks.
struct Narrow {
  static constexpr int kThreads = BLOCK;
  static constexpr int kNumbers = 8;
  template <int kWidth, typename Element>
  __device__ __forceinline__ static void normalize(const Params<Element>& params) {
    const int row = static_cast<int>(blockIdx.x);
    if constexpr (kWidth > 1) {
      normalize_narrow_row<BlockTeam<BLOCK>, kNumbers / kWidth, kWidth>(params, row);
    } else {  // not aligned
      normalize_any_row<BlockTeam<BLOCK>, 1, 1, false>(params, row);
    }
  }
};

template <typename Team, typename Element>
__device__ __forceinline__ void normalize(const Params<Element>& params) {
  const bool aligned =
      rows_aligned<Element>(params.input, params.columns) && rows_aligned<Element>(params.output, params.columns) &&
      rows_aligned<Element>(params.weight, params.columns) && rows_aligned<Element>(params.bias, params.columns);
  if (aligned) {
    Team::template normalize<kWidestPack<Element>>(params);
  } else {
    Team::template normalize<1>(params);
  }
}

using warps = Warps;
using narrow = Narrow;
using block = Block<BLOCK>;
using block2 = Block<2 * BLOCK>;
using block4 = Block<4 * BLOCK>;

}  // namespace
}  // namespace assay

#define LAYERNORM_ENTRY(dtype, team, resident_threads)                                                          \
  extern "C" __global__ void __launch_bounds__(assay::team::kThreads, resident_threads / assay::team::kThreads) \
      layernorm_##dtype##_##team(const assay::dtype* __restrict__ x, const assay::dtype* __restrict__ weight,   \
                                 const assay::dtype* __restrict__ bias, assay::dtype* __restrict__ y, int ROWS, \
                                 int COLUMNS, float eps) {                                                      \
    assay::normalize<assay::team>(assay::Params<assay::dtype>{x, weight, bias, y, ROWS, COLUMNS, eps});         \
  }
#define LAYERNORM_ENTRIES(dtype)       \
  LAYERNORM_ENTRY(dtype, warps, 1024)  \
  LAYERNORM_ENTRY(dtype, narrow, 1536) \
  LAYERNORM_ENTRY(dtype, block, 1024)  \
  LAYERNORM_ENTRY(dtype, block2, 1024) \
  LAYERNORM_ENTRY(dtype, block4, 1024)

LAYERNORM_ENTRIES(f16)
LAYERNORM_ENTRIES(bf16)
LAYERNORM_ENTRIES(f32)
