// SPDX-License-Identifier: MIT
// Softmax over rows whose scores arrive block by block, as in ../primitives/online_softmax.cuh, for a caller that wants
// the logarithm of the sums and has rows that see no key at all. Requires scale > 0.
#pragma once

#include "../../primitives/exponential.cuh"
#include "../../primitives/warp_tile.cuh"
#include "../primitives/row_group.cuh"

namespace assay::attention::library {

template <int kSlabs>
class RowSoftmax {
 public:
  __device__ __forceinline__ explicit RowSoftmax(float scale) : scale_log2_(scale * kLog2E) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        origin_.of[slab][half] = kNoOrigin;
        sum_.of[slab][half] = 0.0f;
      }
  }

  // Scores become probabilities relative to the largest score so far. Returns what earlier results shrink by.
  template <int kColumns>
  __device__ __forceinline__ RowValues<kSlabs> absorb(WarpTile<kSlabs, kColumns>& scores) {
    RowValues<kSlabs> shrink;
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float highest = -INFINITY;
#pragma unroll
        for (const auto& fragment : scores.fragment[slab])
          highest = fmaxf(highest, fmaxf(fragment[2 * half], fragment[2 * half + 1]));
        highest = group_maximum(highest);
        float& origin = origin_.of[slab][half];
        const float before = origin;
        origin = fmaxf(before, highest * scale_log2_);
        shrink.of[slab][half] = exp2_approximate(before - origin);
        float sum = 0.0f;
#pragma unroll
        for (auto& fragment : scores.fragment[slab])
#pragma unroll
          for (int i = 2 * half; i < 2 * half + 2; ++i) {
            fragment[i] = exp2_approximate(fmaf(fragment[i], scale_log2_, -origin));
            sum += fragment[i];
          }
        sum_.of[slab][half] = sum_.of[slab][half] * shrink.of[slab][half] + sum;
      }
    return shrink;
  }

  // Adds up the sums of the lanes that share a row. Call it once, after the last block.
  __device__ __forceinline__ void finish() {
#pragma unroll
    for (auto& slab : sum_.of)
#pragma unroll
      for (float& sum : slab) sum = group_sum(sum);
  }

  // The factor that turns accumulated outputs into averages; 0 for a row that sees no key.
  __device__ __forceinline__ RowValues<kSlabs> normalizer() const {
    RowValues<kSlabs> factor;
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        factor.of[slab][half] = sees_keys(slab, half) ? 1.0f / sum_.of[slab][half] : 0.0f;
    return factor;
  }

  // Of rows that are merged with others: the largest score in the log2 domain, and the sum of powers relative to it.
  __device__ __forceinline__ float origin(int slab, int half) const { return origin_.of[slab][half]; }
  __device__ __forceinline__ float sum(int slab, int half) const { return sum_.of[slab][half]; }

  // Natural logarithm of the row's sum of exponentials; -inf for a row that sees no key.
  __device__ __forceinline__ float log_sum_exp(int slab, int half) const {
    constexpr float kLn2 = 0.6931471805599453f;
    return sees_keys(slab, half) ? kLn2 * (origin_.of[slab][half] + log2f(sum_.of[slab][half])) : -INFINITY;
  }

 private:
  // Finite, so that a row that has seen nothing but -inf needs no special case: 2^(-inf - origin) is 0.
  static constexpr float kNoOrigin = -1e30f;

  // Not by comparison of the origin alone: it is NaN where a score is, and such a row must stay NaN.
  __device__ __forceinline__ bool sees_keys(int slab, int half) const { return sum_.of[slab][half] != 0.0f; }

  float scale_log2_;
  RowValues<kSlabs> origin_;  // largest score so far, scaled, as rounded; what is subtracted everywhere
  RowValues<kSlabs> sum_;     // this lane's columns only, until finish()
};

}  // namespace assay::attention::library
