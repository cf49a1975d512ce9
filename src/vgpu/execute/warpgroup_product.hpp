// SPDX-License-Identifier: MIT
// wgmma.mma_async: the handlers, and the shapes that Instruction::immediate points to.
//
// A warp group is four consecutive warps, and warp w of it has rows 16 w ... 16 w + 15 of A and D: each warp computes
// its quarter by itself; that all four execute the same products is checked (machine/group_products.hpp). The results
// are there when the instruction is issued. That is a legal execution of the asynchronous one: a program may not look
// at the registers before it waits, and where it forgets to wait ptxas adds what is missing (its notes C7517 and
// C7519), so that even such programs see these results on a GPU.
#pragma once

#include <optional>

#include "vgpu/execute/tensor_parts.hpp"
#include "vgpu/machine/group_products.hpp"
#include "vgpu/machine/warp.hpp"
#include "vgpu/semantics/sparse.hpp"

namespace assay::vgpu {

inline constexpr size_t kWarpRows = 16;

// Of a sparse product: A holds half of the elements of its rows.
struct SparseOperand {
  semantics::Sparsity sparsity;
  bool narrow;  // elements of less than 16 bits
  size_t first_lane;
};

// Operands of the instruction: d ..., a (one descriptor or four registers), b's descriptor, of sparse products the
// metadata and the selector, scale-d.
template <class T>
struct ProductOperands {
  size_t n, k;  // k in elements; of matrices of bits in words of them
  size_t d_registers;
  bool a_in_registers;
  bool a_across, b_across;  // m or n is contiguous in shared memory instead of k
  Widen<T> widen_a, widen_b;
  std::optional<SparseOperand> sparse;

  size_t a_registers() const { return a_in_registers ? 4 : 1; }
  size_t b_descriptor() const { return d_registers + a_registers(); }
  size_t scale_d() const { return b_descriptor() + (sparse ? 3 : 1); }
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
  bool counts_bits;
};

void multiply_float_group(Warp& warp, const Instruction& instruction);
void multiply_integer_group(Warp& warp, const Instruction& instruction);

}  // namespace assay::vgpu
