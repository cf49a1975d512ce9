// SPDX-License-Identifier: MIT
// What the plain and the vector versions of tensor.cpp share. Not for use outside of the tensor files.
#pragma once

#include "vgpu/semantics/dot_unit.hpp"

namespace assay::vgpu::semantics {

// One product of matrices, k in the order in which the unit takes it.
struct MatrixProduct {
  int m = 0, n = 0, k = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  const float* c = nullptr;
  float* d = nullptr;
};

// An exponent so low that a zero never leads and is always shifted out.
inline constexpr int kZeroExponent = -(1 << 20);

// Element (i, j), step by step.
float dot_plainly(const DotUnit& unit, const MatrixProduct& p, int i, int j);

void multiply_rows_plainly(const DotUnit& unit, const MatrixProduct& p);

// The vector versions take k of moderate size in whole steps, n in eights and m (AVX-512) in twos.
//
// They work in floats, where products of 11-digit operands and multiplications by powers of two are exact: the largest
// power among the terms gives a scale, scaled terms are cut by conversion to integers, and the integers are added. This
// holds while that power, the lead, lies in the range below; elements elsewhere, and rows and columns with infinities
// or NaNs, are left to dot_plainly.
inline constexpr int kMaxDepth = 64;
inline constexpr float kLowLead = 0x1p-100f;  // lower ones would give an infinite scale; products below 2^-126 are not
                                              // exact, but are cut away where the lead is not lower than this
inline constexpr float kHighLead = 0x1p125f;  // from higher ones products could overflow

bool avx2_can_multiply(const DotUnit& unit, const MatrixProduct& p);
void multiply_rows_avx2(const DotUnit& unit, const MatrixProduct& p);
bool avx512_can_multiply(const DotUnit& unit, const MatrixProduct& p);
void multiply_rows_avx512(const DotUnit& unit, const MatrixProduct& p);

}  // namespace assay::vgpu::semantics
