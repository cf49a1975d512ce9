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
// The addend keeps the alignment from falling below the range of f32, even when it is zero.
inline constexpr int kLowestLead = -126;

// Element (i, j), step by step.
float dot_plainly(const DotUnit& unit, const MatrixProduct& p, int i, int j);

void multiply_rows_plainly(const DotUnit& unit, const MatrixProduct& p);

// Whether the AVX2 version can take this product (n a multiple of 8, k of moderate size).
bool avx2_can_multiply(const DotUnit& unit, const MatrixProduct& p);
void multiply_rows_avx2(const DotUnit& unit, const MatrixProduct& p);

}  // namespace assay::vgpu::semantics
