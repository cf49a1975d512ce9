// SPDX-License-Identifier: MIT
#include "vgpu/execute/sparse_product.hpp"

#include <fmt/format.h>

#include "ptx/matrix_shape.hpp"
#include "vgpu/execute/fragment.hpp"
#include "vgpu/execute/sparse_rows.hpp"
#include "vgpu/execute/tensor_parts.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/semantics/sparse.hpp"
#include "vgpu/semantics/tensor.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

constexpr size_t kM = 16;
constexpr size_t kN = 8;
constexpr size_t kMaxK = 128;
constexpr size_t kMaxPerRegister = 8;

// The result's registers come first, then those of A, B and C, the metadata and the selector.
struct SparseShape {
  size_t k;
  size_t per_register;
  size_t a_registers, b_registers, c_registers;
  s::Sparsity sparsity;
  bool narrow;  // elements of less than 16 bits
  size_t first_lane;
};

template <class T>
struct Operands {
  alignas(64) T a[kM * kMaxK];  // (m, k), expanded
  alignas(64) T b[kMaxK * kN];  // (k, n)
  alignas(64) T c[kM * kN];     // (m, n); the result too
};

template <class T, class Read>
bool read_operands(Warp& warp, const Instruction& instruction, const SparseShape& shape, Widen<T> widen_a,
                   Widen<T> widen_b, Read&& read_accumulator, Operands<T>& operands) {
  const uint32_t* a_rows = instruction.rows + shape.c_registers;
  const uint32_t* b_rows = a_rows + shape.a_registers;
  const uint32_t* c_rows = b_rows + shape.b_registers;
  alignas(64) T tile[kMaxPerRegister * kLanes];
  alignas(64) T halves[kM * kMaxK / 2];
  const size_t count = kLanes * shape.per_register;
  const size_t width = 4 * shape.per_register;
  for (size_t i = 0; i < shape.a_registers; ++i) {
    widen_a(warp.row<uint32_t>(a_rows[i]), count, tile);
    place_a(tile, width, i, kM, shape.k / 2, halves);
  }
  for (size_t i = 0; i < shape.b_registers; ++i) {
    widen_b(warp.row<uint32_t>(b_rows[i]), count, tile);
    place_b(tile, width, i, operands.b);
  }
  read_accumulator(c_rows, operands.c);
  const SparseRows rows{kM, shape.k, shape.sparsity, shape.narrow, shape.first_lane};
  return expand_rows(warp, rows, warp.row<uint32_t>(c_rows[shape.c_registers]), halves, operands.a);
}

struct SparseFloat {
  SparseShape shape;
  FloatOperand a, b;
  s::DotUnit unit;
};

void multiply_float(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& form = payload<SparseFloat>(instruction);
  const bool half_result = form.shape.c_registers == 2;
  Operands<float> operands;
  const auto read = [&](const uint32_t* rows, float* c) {
    for (size_t i = 0; i < 2; ++i) {
      float* const to = c + i * 2 * kLanes;
      if (half_result) {
        widen_halves(warp.row<uint16_t>(rows[i]), 2 * kLanes, to);
      } else {
        read_c(warp.row<float>(rows[2 * i]), warp.row<float>(rows[2 * i + 1]), to);
      }
    }
  };
  if (!read_operands<float>(warp, instruction, form.shape, form.a.widen, form.b.widen, read, operands)) return;
  s::multiply_accumulate(form.unit, kM, kN, static_cast<int>(form.shape.k), operands.a, operands.b, operands.c,
                         operands.c);
  for (size_t i = 0; i < 2; ++i) {
    const float* const d = operands.c + i * 2 * kLanes;
    if (half_result) {
      narrow_to_halves(d, 2 * kLanes, warp.row<uint16_t>(instruction.rows[i]));
    } else {
      write_d(d, warp.row<float>(instruction.rows[2 * i]), warp.row<float>(instruction.rows[2 * i + 1]));
    }
  }
}

struct SparseInteger {
  SparseShape shape;
  Widen<int32_t> a, b;
  bool satfinite;
};

void multiply_integer(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& form = payload<SparseInteger>(instruction);
  Operands<int32_t> operands;
  const auto read = [&](const uint32_t* rows, int32_t* c) {
    for (size_t i = 0; i < 4; i += 2)
      read_c(warp.row<int32_t>(rows[i]), warp.row<int32_t>(rows[i + 1]), c + i * kLanes);
  };
  if (!read_operands<int32_t>(warp, instruction, form.shape, form.a, form.b, read, operands)) return;
  s::multiply_accumulate(kM, kN, static_cast<int>(form.shape.k), operands.a, operands.b, operands.c, operands.c,
                         form.satfinite);
  for (size_t i = 0; i < 4; i += 2)
    write_d(operands.c + i * kLanes, warp.row<int32_t>(instruction.rows[i]),
            warp.row<int32_t>(instruction.rows[i + 1]));
}

Result<SparseShape> shape_of(const BindContext& context, s::Sparsity sparsity, size_t per_register,
                             size_t c_registers) {
  SparseShape shape;
  shape.k = ptx::matrix_shape_of(context.modifiers->names()).k;
  shape.per_register = per_register;
  shape.a_registers = kM * shape.k / 2 / (kLanes * per_register);
  shape.b_registers = kN * shape.k / (kLanes * per_register);
  shape.c_registers = c_registers;
  shape.sparsity = sparsity;
  shape.narrow = per_register > 2;
  ASSAY_CHECK(check_registers(context, {c_registers, shape.a_registers, shape.b_registers, c_registers}));
  const BoundOperand& selector = context.operands.back();
  const size_t lanes = s::metadata_lanes(shape.narrow, shape.k / s::sparse_group(sparsity));
  if (!selector.is_immediate || selector.value * lanes >= 4)
    return context.error(fmt::format("the sparsity selector of this shape is a constant below {}", 4 / lanes));
  shape.first_lane = selector.value * lanes;
  return shape;
}

}  // namespace

Result<Handler> bind_sparse_float(BindContext& context) {
  const FloatOperand a = float_operand(context.type(1));
  const FloatOperand b = float_operand(context.type(2));
  const bool half_result = context.type(0) == ptx::Type::f16;
  if ((context.type(3) == ptx::Type::f16) != half_result) return context.error("c and d have different types");
  const auto sparsity = a.per_register == 1 ? s::Sparsity::one_of_two : s::Sparsity::two_of_four;
  ASSAY_TRY(const SparseShape shape, shape_of(context, sparsity, a.per_register, half_result ? 2 : 4));
  const s::DotUnit unit = s::dot_unit(tensor_architecture(*context.model), s::TensorInstruction::mma, a.kind, b.kind,
                                      half_result, static_cast<int>(shape.k));
  context.keep(SparseFloat{shape, a, b, unit});
  return &multiply_float;
}

Result<Handler> bind_sparse_integer(BindContext& context) {
  const size_t per_register = integers_per_register(context.type(1));
  const auto sparsity = per_register > kBytesPerRegister ? s::Sparsity::pairs_of_four : s::Sparsity::two_of_four;
  ASSAY_TRY(const SparseShape shape, shape_of(context, sparsity, per_register, 4));
  context.keep(
      SparseInteger{shape, widen_integers(context.type(1)), widen_integers(context.type(2)), context.has("satfinite")});
  return &multiply_integer;
}

}  // namespace assay::vgpu
