// SPDX-License-Identifier: MIT
// The element types of the kernels and what differs between them: conversion to and from float, and packing two of
// them into the 32-bit register that tensor-core fragments are made of.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace assay {

using f16 = __half;
using bf16 = __nv_bfloat16;
using f32 = float;

__device__ __forceinline__ float to_float(f16 value) {
  return __half2float(value);
}
__device__ __forceinline__ float to_float(bf16 value) {
  return __bfloat162float(value);
}
__device__ __forceinline__ float to_float(f32 value) {
  return value;
}

template <typename Element>
__device__ __forceinline__ Element from_float(float value);

template <>
__device__ __forceinline__ f16 from_float<f16>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ bf16 from_float<bf16>(float value) {
  return __float2bfloat16_rn(value);
}
template <>
__device__ __forceinline__ f32 from_float<f32>(float value) {
  return value;
}

// Rounds two floats to elements; the first lies in the low half, that is at the lower address.
template <typename Element>
__device__ __forceinline__ uint32_t pack(float first, float second);

// PTX ISA, "Data Movement and Conversion Instructions: cvt": with two sources, the first operand becomes the upper
// half.
template <>
__device__ __forceinline__ uint32_t pack<f16>(float first, float second) {
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}
template <>
__device__ __forceinline__ uint32_t pack<bf16>(float first, float second) {
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

}  // namespace assay
