// SPDX-License-Identifier: MIT
// Powers of two on the special-function unit. Softmax works in the log2 domain: exp(x) = 2^(x log2(e)), with log2(e)
// folded into the scale that scores are multiplied by anyway.
#pragma once

namespace assay {

inline constexpr float kLog2E = 1.4426950408889634f;

// PTX ISA, "Floating Point Instructions: ex2": at most 2 ulp; 2^-inf is +0, subnormal results are flushed to zero.
__device__ __forceinline__ float exp2_approximate(float exponent) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
}

}  // namespace assay
