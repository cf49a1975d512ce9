// SPDX-License-Identifier: MIT
// Matrix products as tensor cores compute them. Operands are plain row-major matrices, widened to float exactly.
#pragma once

#include <cstdint>

#include "vgpu/semantics/dot_unit.hpp"

namespace assay::vgpu::semantics {

// d = a b + c: a is (m, k), b is (k, n), c and d are (m, n); d may be c. Of tf32 operands the low 13 bits are ignored.
// f16 results are floats that an f16 holds exactly. Every NaN in d is 0x7fffffff.
void multiply_accumulate(const DotUnit& unit, int m, int n, int k, const float* a, const float* b, const float* c,
                         float* d);

// The same, one element at a time: what the vector code must agree with.
void multiply_accumulate_plainly(const DotUnit& unit, int m, int n, int k, const float* a, const float* b,
                                 const float* c, float* d);

// f64: a chain of fused multiply-adds in the order of k.
void multiply_accumulate(int m, int n, int k, const double* a, const double* b, const double* c, double* d);

// s8, u8, s4, u4, widened to int32. Sums wrap, or with .satfinite are clamped to the ends of s32.
void multiply_accumulate(int m, int n, int k, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d,
                         bool satfinite);

// Matrices of bits, 32 of them in a word along k, which is the number of words: d = c + the number of bits that are set
// in both, or with `exclusive` in one of the two.
void count_bits(int m, int n, int k, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d, bool exclusive);

}  // namespace assay::vgpu::semantics
