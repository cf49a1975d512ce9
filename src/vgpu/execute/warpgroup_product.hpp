// SPDX-License-Identifier: MIT
// wgmma.mma_async: the handlers, and the shapes that Instruction::immediate points to.
//
// A warp group is four consecutive warps, and warp w of it has rows 16 w ... 16 w + 15 of A and D: each warp computes
// its quarter by itself; that all four execute the same products is checked (machine/group_products.hpp). The results
// are there when the instruction is issued. That is a legal execution of the asynchronous one: a program may not look
// at the registers before it waits, and where it forgets to wait ptxas adds what is missing (its notes C7517 and
// C7519), so that even such programs see these results on a GPU.
#pragma once

#include "vgpu/execute/tensor_parts.hpp"
#include "vgpu/machine/group_products.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

inline constexpr size_t kWarpRows = 16;

// Operands of the instruction: d ..., a (one descriptor or four registers), b's descriptor, scale-d.
template <class T>
struct ProductOperands {
  size_t n, k;
  size_t d_registers;
  bool a_in_registers;
  bool a_across, b_across;  // m or n is contiguous in shared memory instead of k
  Widen<T> widen_a, widen_b;
};

struct FloatProduct {
  ProductOperands<float> operands;
  bool negated;  // one of A and B is, but not both
  bool half_result;
  semantics::DotUnit unit;
};

struct IntegerProduct {
  ProductOperands<int32_t> operands;
  bool satfinite;
};

void multiply_float_group(Warp& warp, const Instruction& instruction);
void multiply_integer_group(Warp& warp, const Instruction& instruction);

}  // namespace assay::vgpu
