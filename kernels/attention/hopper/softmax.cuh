// SPDX-License-Identifier: MIT
// The online softmax of one warp's 16 rows, in the log2 domain, on the accumulator layout of the matrix instructions.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace assay::attention::hopper {

// A thread holds columns 8 j + 2 (lane % 4) + {0, 1} of rows lane / 4 and lane / 4 + 8:
// register i belongs to row_of(i) of the two and to column_of(i) + 2 (lane % 4).
__device__ constexpr int row_of(int i) {
  return (i / 2) % 2;
}
__device__ constexpr int column_of(int i) {
  return 8 * (i / 4) + i % 2;
}

// What turns a score into an exponent of two.
struct Scale {
  float log2;  // softmax scale times log2(e)
};

// PTX ISA "ex2": 2^x on the special-function unit, 16 a clock and multiprocessor.
__device__ __forceinline__ float exp2_special(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The same, kept in order with other such statements.
__device__ __forceinline__ float exp2_in_place(float x) {
  float y;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// PTX ISA "lg2" and "rcp", approximate: within 2^-22 of log2(x), within one unit in the last place of 1 / x.
__device__ __forceinline__ float log2_special(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
constexpr float kLn2 = 0.69314718056f;

struct OnlineSoftmax {
  // Finite, so that a row that sees no key needs no special case: its exponentials are 2^-inf = 0.
  static constexpr float kNoReference = -1e30f;

  float reference[2] = {kNoReference, kNoReference};
  float sum[2] = {0.0f, 0.0f};  // this thread's columns only, until finish()
  bool some_negative = true;    // references of this warp's rows

  // Looks at the next scores. Returns true when the reference of a row of this warp moved: what was accumulated so far,
  // here and elsewhere, must then be multiplied by shrink.
  template <int kCount>
  __device__ __forceinline__ bool follow_maximum(const float (&scores)[kCount], Scale scale, float (&shrink)[2]) {
    float own[2];  // the largest of this thread
    find_highest_positive(scores, own);
    if (some_negative && __any_sync(~0u, fminf(own[0], own[1]) < 0.0f)) find_highest(scores, own);
    own[0] *= scale.log2;
    own[1] *= scale.log2;
    const bool moved = __any_sync(~0u, own[0] > reference[0] || own[1] > reference[1]);
    if (moved) {
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const float near = fmaxf(own[row], __shfl_xor_sync(~0u, own[row], 1));
        const float far = fmaxf(__shfl_xor_sync(~0u, own[row], 2), __shfl_xor_sync(~0u, own[row], 3));
        const float next = fmaxf(reference[row], fmaxf(near, far));
        shrink[row] = exp2_special(reference[row] - next);
        reference[row] = next;
      }
    }
    some_negative = __any_sync(~0u, fminf(reference[0], reference[1]) < 0.0f);
    return moved;
  }
  __device__ __forceinline__ void shrink_sums(const float (&shrink)[2]) {
    sum[0] *= shrink[0];
    sum[1] *= shrink[1];
  }

  // Scores become probabilities relative to the reference.
  template <int kCount>
  __device__ __forceinline__ void exponentiate(float (&scores)[kCount], Scale scale) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int row = row_of(i);
      scores[i] = exp2_special(fmaf(scores[i], scale.log2, -reference[row]));
      sum[row] += scores[i];
    }
  }

  // Adds up the row sums of the four threads that share a row.
  __device__ void finish() {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      sum[row] += __shfl_xor_sync(~0u, sum[row], 1);
      sum[row] += __shfl_xor_sync(~0u, sum[row], 2);
    }
  }

  // Natural logarithm of the sum of exponentials; -inf for a row that sees no key.
  __device__ float log_sum_exp(int row) const {
    return sees_keys(row) ? kLn2 * (reference[row] + log2_special(sum[row])) : -INFINITY;
  }
  __device__ float normaliser(int row) const { return sees_keys(row) ? reciprocal(sum[row]) : 0.0f; }
  __device__ bool sees_keys(int row) const { return reference[row] > kNoReference; }

 private:
  // The largest score of each row.
  template <int kCount>
  __device__ __forceinline__ static void find_highest(const float (&scores)[kCount], float (&top)[2]) {
    float highest[2][2];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      float& cell = highest[row_of(i)][i % 2];
      cell = i < 4 ? scores[i] : fmaxf(cell, scores[i]);
    }
    top[0] = fmaxf(highest[0][0], highest[0][1]);
    top[1] = fmaxf(highest[1][0], highest[1][1]);
  }

  // The same where it is positive, something negative otherwise. Maxima of three operands exist for integers alone, and
  // the integers that positive floats are in memory have their order.
  template <int kCount>
  __device__ __forceinline__ static void find_highest_positive(const float (&scores)[kCount], float (&top)[2]) {
    int highest[2];
#pragma unroll
    for (int i = 0; i < kCount; i += 2) {
      const int left = __float_as_int(scores[i]);
      const int right = __float_as_int(scores[i + 1]);
      int& cell = highest[row_of(i)];
      cell = i < 4 ? max(left, right) : __vimax3_s32(cell, left, right);
    }
    top[0] = __int_as_float(highest[0]);
    top[1] = __int_as_float(highest[1]);
  }
};

template <class Element>
__device__ __forceinline__ uint32_t pack(float low, float high) {
  if constexpr (std::is_same_v<Element, __half>) {
    __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<uint32_t*>(&pair);
  } else {
    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<uint32_t*>(&pair);
  }
}

}  // namespace assay::attention::hopper
