// SPDX-License-Identifier: MIT
// mma.sync: fragments to plain matrices, the arithmetic of the architecture's tensor cores, and back.
#include "vgpu/semantics/tensor.hpp"

#include <array>

#include "ptx/matrix_shape.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/fragment.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/matrix_move.hpp"
#include "vgpu/execute/sparse_product.hpp"
#include "vgpu/execute/tensor_parts.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

constexpr size_t kMaxM = 16;
constexpr size_t kMaxK = 64;
constexpr size_t kN = 8;

// --- the handler of all floating-point shapes; what differs is in a FloatShape that `immediate` points to

struct FloatShape {
  size_t m, k;
  size_t a_registers, b_registers;
  FloatOperand a, b;
  bool half_result;
  s::DotUnit unit;
};

void read_accumulator(const Warp& warp, const uint32_t* rows, const FloatShape& shape, float* c) {
  if (!shape.half_result) {
    read_c(warp.row<float>(rows[0]), warp.row<float>(rows[1]), c);
    read_c(warp.row<float>(rows[2]), warp.row<float>(rows[3]), c + 2 * kLanes);
    return;
  }
  for (size_t i = 0; i < 2; ++i) widen_halves(warp.row<uint32_t>(rows[i]), 2 * kLanes, c + i * 2 * kLanes);
}

void write_result(const Warp& warp, const uint32_t* rows, const FloatShape& shape, const float* d) {
  if (!shape.half_result) {
    write_d(d, warp.row<float>(rows[0]), warp.row<float>(rows[1]));
    write_d(d + 2 * kLanes, warp.row<float>(rows[2]), warp.row<float>(rows[3]));
    return;
  }
  for (size_t i = 0; i < 2; ++i) narrow_to_halves(d + i * 2 * kLanes, 2 * kLanes, warp.row<uint16_t>(rows[i]));
}

void multiply_float(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& shape = payload<FloatShape>(instruction);
  const size_t c_registers = shape.half_result ? 2 : 4;
  const uint32_t* d_rows = instruction.rows;
  const uint32_t* a_rows = d_rows + c_registers;
  const uint32_t* b_rows = a_rows + shape.a_registers;
  const uint32_t* c_rows = b_rows + shape.b_registers;
  alignas(64) float a[kMaxM * kMaxK];
  alignas(64) float b[kMaxK * kN];
  alignas(64) float c[kMaxM * kN];
  alignas(64) float tile[4 * kLanes];
  for (size_t i = 0; i < shape.a_registers; ++i) {
    shape.a.widen(warp.row<uint32_t>(a_rows[i]), kLanes * shape.a.per_register, tile);
    place_a(tile, 4 * shape.a.per_register, i, shape.m, shape.k, a);
  }
  for (size_t i = 0; i < shape.b_registers; ++i) {
    shape.b.widen(warp.row<uint32_t>(b_rows[i]), kLanes * shape.b.per_register, tile);
    place_b(tile, 4 * shape.b.per_register, i, b);
  }
  read_accumulator(warp, c_rows, shape, c);
  s::multiply_accumulate(shape.unit, static_cast<int>(shape.m), kN, static_cast<int>(shape.k), a, b, c, c);
  write_result(warp, d_rows, shape, c);
}

enum class IntegerSum : uint8_t { wrap, clamp, bits_in_both, bits_in_one };

// Of matrices of bits an element is a word of them.
struct IntegerShape {
  size_t m, k;
  size_t per_register;
  size_t a_registers, b_registers;
  Widen<int32_t> widen_a, widen_b;
  IntegerSum sum;
};

void sum_products(const IntegerShape& shape, const int32_t* a, const int32_t* b, int32_t* c) {
  const auto m = static_cast<int>(shape.m);
  const auto k = static_cast<int>(shape.k);
  if (shape.sum == IntegerSum::wrap || shape.sum == IntegerSum::clamp) {
    s::multiply_accumulate(m, kN, k, a, b, c, c, shape.sum == IntegerSum::clamp);
  } else {
    s::count_bits(m, kN, k, a, b, c, c, shape.sum == IntegerSum::bits_in_one);
  }
}

void multiply_integer(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const auto& shape = payload<IntegerShape>(instruction);
  const size_t c_registers = shape.m / 4;
  const uint32_t* d_rows = instruction.rows;
  const uint32_t* a_rows = d_rows + c_registers;
  const uint32_t* b_rows = a_rows + shape.a_registers;
  const uint32_t* c_rows = b_rows + shape.b_registers;
  alignas(64) int32_t a[kMaxM * kMaxK];
  alignas(64) int32_t b[kMaxK * kN];
  alignas(64) int32_t c[kMaxM * kN];
  alignas(64) int32_t tile[8 * kLanes];
  for (size_t i = 0; i < shape.a_registers; ++i) {
    shape.widen_a(warp.row<uint32_t>(a_rows[i]), kLanes * shape.per_register, tile);
    place_a(tile, 4 * shape.per_register, i, shape.m, shape.k, a);
  }
  for (size_t i = 0; i < shape.b_registers; ++i) {
    shape.widen_b(warp.row<uint32_t>(b_rows[i]), kLanes * shape.per_register, tile);
    place_b(tile, 4 * shape.per_register, i, b);
  }
  for (size_t i = 0; i < c_registers; i += 2) {
    read_c(warp.row<int32_t>(c_rows[i]), warp.row<int32_t>(c_rows[i + 1]), c + i * kLanes);
  }
  sum_products(shape, a, b, c);
  for (size_t i = 0; i < c_registers; i += 2) {
    write_d(c + i * kLanes, warp.row<int32_t>(d_rows[i]), warp.row<int32_t>(d_rows[i + 1]));
  }
}

// `variant` is k, `detail` is m.
void multiply_double(Warp& warp, const Instruction& instruction) {
  if (!warp.converged()) return;
  const size_t m = instruction.detail;
  const size_t k = instruction.variant;
  const size_t c_registers = m / 4;
  const size_t a_registers = m / 8 * (k / 4);
  const size_t b_registers = k / 4;
  const uint32_t* d_rows = instruction.rows;
  const uint32_t* a_rows = d_rows + c_registers;
  const uint32_t* b_rows = a_rows + a_registers;
  const uint32_t* c_rows = b_rows + b_registers;
  alignas(64) double a[kMaxM * kMaxM];
  alignas(64) double b[kMaxM * kN];
  alignas(64) double c[kMaxM * kN];
  for (size_t i = 0; i < a_registers; ++i) place_a(warp.row<double>(a_rows[i]), 4, i, m, k, a);
  for (size_t i = 0; i < b_registers; ++i) place_b(warp.row<double>(b_rows[i]), 4, i, b);
  for (size_t i = 0; i < c_registers; i += 2)
    read_c(warp.row<double>(c_rows[i]), warp.row<double>(c_rows[i + 1]), c + i * kLanes);
  s::multiply_accumulate(static_cast<int>(m), kN, static_cast<int>(k), a, b, c, c);
  for (size_t i = 0; i < c_registers; i += 2)
    write_d(c + i * kLanes, warp.row<double>(d_rows[i]), warp.row<double>(d_rows[i + 1]));
}

// --- binders

Result<Handler> bind_float(BindContext& context) {
  const auto [m, n, k] = ptx::matrix_shape_of(context.modifiers->names());
  const FloatOperand a = float_operand(context.type(1));
  const FloatOperand b = float_operand(context.type(2));
  const bool half_result = context.type(0) == ptx::Type::f16;
  if ((context.type(3) == ptx::Type::f16) != half_result) return context.error("c and d have different types");
  FloatShape shape{m,
                   k,
                   m * k / (kLanes * a.per_register),
                   n * k / (kLanes * b.per_register),
                   a,
                   b,
                   half_result,
                   s::dot_unit(tensor_architecture(*context.model), s::TensorInstruction::mma, a.kind, b.kind,
                               half_result, static_cast<int>(k))};
  ASSAY_CHECK(
      check_registers(context, {half_result ? 2u : 4u, shape.a_registers, shape.b_registers, half_result ? 2u : 4u}));
  context.keep(shape);
  return &multiply_float;
}

Result<Handler> bind_integer(BindContext& context) {
  const auto [m, n, bits_or_k] = ptx::matrix_shape_of(context.modifiers->names());
  const bool is_bits = context.type(1) == ptx::Type::b1;
  const size_t per_register = is_bits ? 1 : integers_per_register(context.type(1));
  const size_t k = is_bits ? bits_or_k / 32 : bits_or_k;
  const IntegerSum sum = context.has("xor")         ? IntegerSum::bits_in_one
                         : is_bits                  ? IntegerSum::bits_in_both
                         : context.has("satfinite") ? IntegerSum::clamp
                                                    : IntegerSum::wrap;
  IntegerShape shape{m,
                     k,
                     per_register,
                     m * k / (kLanes * per_register),
                     n * k / (kLanes * per_register),
                     widen_integers(context.type(1)),
                     widen_integers(context.type(2)),
                     sum};
  ASSAY_CHECK(check_registers(context, {m / 4, shape.a_registers, shape.b_registers, m / 4}));
  context.keep(shape);
  return &multiply_integer;
}

Result<Handler> bind_double(BindContext& context) {
  const auto [m, n, k] = ptx::matrix_shape_of(context.modifiers->names());
  ASSAY_CHECK(check_registers(context, {m / 4, m * k / kLanes, n * k / kLanes, m / 4}));
  context.instruction->detail = static_cast<uint32_t>(m);
  context.instruction->variant = static_cast<uint8_t>(k);
  return &multiply_double;
}

constexpr std::array kBindings = {
    Binding{"mma.f16", bind_float},
    Binding{"mma.bf16", bind_float},
    Binding{"mma.tf32", bind_float},
    Binding{"mma.fp8", bind_float},
    Binding{"mma.int8", bind_integer},
    Binding{"mma.fp8.f16", bind_float},
    Binding{"mma.fp8.k16", bind_float},
    Binding{"mma.int4", bind_integer},
    Binding{"mma.b1", bind_integer},
    Binding{"mma.sp.f16", bind_sparse_float},
    Binding{"mma.sp.bf16", bind_sparse_float},
    Binding{"mma.sp.tf32", bind_sparse_float},
    Binding{"mma.sp.fp8", bind_sparse_float},
    Binding{"mma.sp.int8", bind_sparse_integer},
    Binding{"mma.sp.int4", bind_sparse_integer},
    Binding{"mma.f64", bind_double},
    Binding{"ldmatrix", bind_load_matrix},
    Binding{"stmatrix", bind_store_matrix},
    Binding{"movmatrix", bind_transpose_matrix},
};

}  // namespace

std::span<const Binding> tensor_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
