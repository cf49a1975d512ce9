// SPDX-License-Identifier: MIT
// The tensor-core product of one warp: (16, 16) times (16, 8), accumulated in float.
//
// Which lane holds what (PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"), with
// group = lane / 4 and member = lane % 4:
//   A  rows group and group + 8, columns 2 member, 2 member + 1 and those plus 8
//   B  rows 2 member, 2 member + 1 and those plus 8, column group
//   C  rows group and group + 8, columns 2 member and 2 member + 1
// A row of C therefore lies in the four lanes of one group, and two neighbouring C tiles are one A tile: attention's
// probabilities become the left operand of the next product without leaving their registers.
#pragma once

#include <cstdint>

#include "element.cuh"

namespace assay {

inline constexpr int kMmaRows = 16;
inline constexpr int kMmaColumns = 8;
inline constexpr int kMmaDepth = 16;

using AFragment = uint32_t[4];
using CFragment = float[4];

// PTX ISA, "Warp Level Matrix Instructions: Multiply-and-Accumulate Instruction: mma". C += A B.
template <typename Element>
__device__ __forceinline__ void multiply_accumulate(CFragment& c, const AFragment& a, uint32_t b_low, uint32_t b_high);

template <>
__device__ __forceinline__ void multiply_accumulate<f16>(CFragment& c, const AFragment& a, uint32_t b_low,
                                                         uint32_t b_high) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

template <>
__device__ __forceinline__ void multiply_accumulate<bf16>(CFragment& c, const AFragment& a, uint32_t b_low,
                                                          uint32_t b_high) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

}  // namespace assay
