// SPDX-License-Identifier: MIT
// Softmax of each row of a matrix: one block of threads per row, three sweeps (maximum, sum, result) over registers.
// Rows of up to BLOCK * HELD packs are read from memory once: the kernel is then as fast as a copy.
#include "../primitives/block_reduce.cuh"
#include "../primitives/element.cuh"
#include "../primitives/exponential.cuh"
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
  int columns;
};

template <int kWidth, typename Element>
__device__ __forceinline__ void softmax_row(const Params<Element>& params) {
  const int64_t row_offset = static_cast<int64_t>(blockIdx.x) * params.columns;
  const Row<Element, BLOCK, HELD, kWidth> row(params.input + row_offset, params.columns);

  float maximum = -INFINITY;
  row.for_each([&](const float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) maximum = fmaxf(maximum, value[i]);
  });
  const float origin = block_reduce<Maximum, BLOCK>(maximum);

  float sum = 0.0f;
  row.for_each([&](const float(&value)[kWidth], int) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum += exp2_approximate((value[i] - origin) * kLog2E);
  });
  const float normalizer = 1.0f / block_reduce<Sum, BLOCK>(sum);

  row.for_each([&](const float(&value)[kWidth], int column) {
    float result[kWidth];
#pragma unroll
    for (int i = 0; i < kWidth; ++i) result[i] = exp2_approximate((value[i] - origin) * kLog2E) * normalizer;
    store_pack<kWidth>(params.output + row_offset + column, result);
  });
}

template <typename Element>
__device__ __forceinline__ void softmax(const Params<Element>& params) {
  if (rows_aligned<Element>(params.input, params.columns) && rows_aligned<Element>(params.output, params.columns)) {
    softmax_row<kWidestPack<Element>>(params);
  } else {
    softmax_row<1>(params);
  }
}

}  // namespace
}  // namespace assay

#define SOFTMAX_ENTRY(dtype)                                                                           \
  extern "C" __global__ void __launch_bounds__(BLOCK)                                                  \
      softmax_##dtype(const assay::dtype* __restrict__ x, assay::dtype* __restrict__ y, int COLUMNS) { \
    assay::softmax<assay::dtype>({x, y, COLUMNS});                                                     \
  }

SOFTMAX_ENTRY(f16)
SOFTMAX_ENTRY(bf16)
SOFTMAX_ENTRY(f32)
