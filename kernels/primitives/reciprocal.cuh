// SPDX-License-Identifier: MIT
// Reciprocals on the special-function unit, and division by them.
#pragma once

namespace assay {

// PTX ISA, "Floating Point Instructions: rcp": at most 1 ulp. A division is a call, for operands that are as small or
// as large as floats can be: registers are saved for it, and everybody waits.
__device__ __forceinline__ float reciprocal_approximate(float value) {
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(value));
  return reciprocal;
}

// Dividend over divisor, whose reciprocal is given, to the last digit or the one before it: what the product leaves
// over is divided once more. For finite quotients.
__device__ __forceinline__ float divide(float dividend, float divisor, float reciprocal) {
  const float quotient = dividend * reciprocal;
  return fmaf(fmaf(-quotient, divisor, dividend), reciprocal, quotient);
}

}  // namespace assay
