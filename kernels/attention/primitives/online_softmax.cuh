// SPDX-License-Identifier: MIT
// Softmax over a row whose scores arrive block by block. After each block the object knows the row's maximum so far
// and the sum of 2^(score - maximum) so far; when the maximum grows, what was accumulated before shrinks by
// 2^(old - new), which absorb() returns so that the output can shrink alike.
//
// The maximum is kept scaled, as the rounded product that is subtracted: the same rounded number enters every
// probability and the shrink factor, so that its rounding error cancels in the final division however large scores are.
// Requires scale > 0 (the largest score must stay the largest after scaling).
#pragma once

#include "../../primitives/exponential.cuh"
#include "../../primitives/warp_tile.cuh"
#include "row_group.cuh"

namespace assay {

template <int kSlabs>
class OnlineSoftmax {
 public:
  __device__ __forceinline__ explicit OnlineSoftmax(float scale) : scale_log2_(scale * kLog2E) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        maximum_.of[slab][half] = -INFINITY;
        sum_.of[slab][half] = 0.0f;
      }
  }

  // Scores become probabilities relative to the new maximum. kMayBeHidden: a row may have had nothing but -inf so far;
  // then the maximum is -inf too and must not be subtracted from itself.
  template <bool kMayBeHidden, int kColumns>
  __device__ __forceinline__ RowValues<kSlabs> absorb(WarpTile<kSlabs, kColumns>& scores) {
    RowValues<kSlabs> shrink;
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float before = maximum_.of[slab][half];
        const float now = fmaxf(before, group_maximum(row_maximum(scores.fragment[slab], half)) * scale_log2_);
        const float origin = kMayBeHidden && now == -INFINITY ? 0.0f : now;
        maximum_.of[slab][half] = now;
        shrink.of[slab][half] = exp2_approximate(before - origin);
        sum_.of[slab][half] =
            sum_.of[slab][half] * shrink.of[slab][half] + exponentiate_row(scores.fragment[slab], half, origin);
      }
    return shrink;
  }

  // The factor that turns accumulated outputs into averages. Lanes sum their own columns until this moment.
  __device__ __forceinline__ RowValues<kSlabs> normalizer() const {
    RowValues<kSlabs> factor;
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) factor.of[slab][half] = 1.0f / group_sum(sum_.of[slab][half]);
    return factor;
  }

 private:
  template <int kFragments>
  __device__ __forceinline__ static float row_maximum(const CFragment (&row)[kFragments], int half) {
    float maximum = fmaxf(row[0][2 * half], row[0][2 * half + 1]);
#pragma unroll
    for (int column = 1; column < kFragments; ++column)
      maximum = fmaxf(maximum, fmaxf(row[column][2 * half], row[column][2 * half + 1]));
    return maximum;
  }

  template <int kFragments>
  __device__ __forceinline__ float exponentiate_row(CFragment (&row)[kFragments], int half, float origin) const {
    float sum = 0.0f;
#pragma unroll
    for (int column = 0; column < kFragments; ++column)
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        row[column][i] = exp2_approximate(fmaf(row[column][i], scale_log2_, -origin));
        sum += row[column][i];
      }
    return sum;
  }

  float scale_log2_;
  RowValues<kSlabs> maximum_;
  RowValues<kSlabs> sum_;
};

}  // namespace assay
