// SPDX-License-Identifier: MIT
// wmma.mma: the handlers, and what Instruction::immediate points to for them.
#pragma once

#include "vgpu/execute/tensor_parts.hpp"
#include "vgpu/execute/wmma_fragment.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

// T is what the arithmetic takes.
template <class T>
struct WmmaProduct {
  ptx::MatrixShape shape;
  WmmaFragment d, a, b, c;
  Widen<T> widen;  // elements of A and B
};

struct WmmaFloatProduct {
  WmmaProduct<float> product;
  semantics::DotUnit unit;
};
struct WmmaIntegerProduct {
  WmmaProduct<int32_t> product;
  bool satfinite;
};
// Words of 32 bits instead of single bits: k is four.
struct WmmaBitProduct {
  WmmaProduct<int32_t> product;
  bool exclusive;  // xor instead of and
};

void multiply_wmma_float(Warp& warp, const Instruction& instruction);
void multiply_wmma_integer(Warp& warp, const Instruction& instruction);
void multiply_wmma_double(Warp& warp, const Instruction& instruction);
void multiply_wmma_bits(Warp& warp, const Instruction& instruction);

}  // namespace assay::vgpu
