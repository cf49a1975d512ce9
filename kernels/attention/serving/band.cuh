// SPDX-License-Identifier: MIT
// What is done to scores before the softmax: capped by a hyperbolic tangent, and hidden outside of the band of keys
// that a query sees.
#pragma once

#include "../../primitives/exponential.cuh"
#include "../../primitives/reciprocal.cuh"
#include "../../primitives/warp_tile.cuh"
#include "sequence.cuh"

namespace assay::attention::serving {

// cap tanh(score scale / cap), as what the softmax then multiplies: scores become tangents, and the scale the cap.
struct Softcap {
  float exponent;  // 2 log2(e) scale / cap; 0: scores stay

  __device__ __forceinline__ explicit Softcap(const Params& params)
      : exponent(params.softcap > 0.0f ? 2.0f * kLog2E * params.scale / params.softcap : 0.0f) {}

  __device__ __forceinline__ static float softmax_scale(const Params& params) {
    return params.softcap > 0.0f ? params.softcap : params.scale;
  }

  // tanh(x) = 1 - 2 / (1 + e^2x), within 2^-20; close to 0, where that cancels, x. The instruction for it (tanh.approx)
  // errs by 2^-11, which a cap of 50 makes 2 per cent of a probability. `exponent`: 2 log2(e), and what makes x of a
  // score.
  __device__ __forceinline__ static float tangent(float score, float exponent) {
    constexpr float kSmall = 3e-3f;  // x < 1.1e-3, and x^3 / 3 less than x 2^-21
    const float twice_log2 = score * exponent;
    const float tangent = 1.0f - 2.0f * reciprocal_approximate(1.0f + exp2_approximate(twice_log2));
    return fabsf(twice_log2) < kSmall ? twice_log2 * (0.5f / kLog2E) : tangent;
  }

  template <int kSlabs, int kColumns>
  __device__ __forceinline__ void apply(WarpTile<kSlabs, kColumns>& scores) const {
    if (exponent == 0.0f) return;
#pragma unroll
    for (auto& slab : scores.fragment)
#pragma unroll
      for (auto& fragment : slab)
#pragma unroll
        for (float& score : fragment) score = tangent(score, exponent);
  }
};

// Hides what a row's range leaves out. range(row) for rows of the tile, `first_key`: of its first column.
template <int kSlabs, int kColumns, typename RangeOfRow>
__device__ __forceinline__ void hide_outside(WarpTile<kSlabs, kColumns>& scores, int first_key, int lane,
                                             const RangeOfRow& range_of) {
  const int thread_key = first_key + lane % 4 * 2;
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const KeyRange range = range_of(slab * kMmaRows + half * 8 + lane / 4);
      const int first = range.first - thread_key;
      const int end = range.end - thread_key;
#pragma unroll
      for (int column = 0; column < WarpTile<kSlabs, kColumns>::kFragments; ++column)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int key = column * kMmaColumns + i;
          if (key < first || key >= end) scores.fragment[slab][column][2 * half + i] = -INFINITY;
        }
    }
}

}  // namespace assay::attention::serving
