// SPDX-License-Identifier: MIT
// wmma: what the operands of the products must be. wmma_move.cpp loads and stores, wmma_product.cpp multiplies.
#include <array>
#include <cstring>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/wmma_move.hpp"
#include "vgpu/execute/wmma_product.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;
using ptx::Type;

struct ProductTypes {
  Type d, operands, c;  // A and B have the same type
};

template <class T>
Result<WmmaProduct<T>> read_product(BindContext& context, ptx::MatrixShape shape, ProductTypes types, Widen<T> widen) {
  WmmaProduct<T> product{shape,
                         wmma_fragment(WmmaMatrix::c, shape, types.d),
                         wmma_fragment(WmmaMatrix::a, shape, types.operands),
                         wmma_fragment(WmmaMatrix::b, shape, types.operands),
                         wmma_fragment(WmmaMatrix::c, shape, types.c),
                         widen};
  ASSAY_CHECK(
      check_registers(context, {product.d.registers, product.a.registers, product.b.registers, product.c.registers}));
  return product;
}

ptx::MatrixShape shape_of(const BindContext& context) {
  return ptx::matrix_shape_of(context.modifiers->names());
}

// Tensor cores have f16 sums where c and d both are f16. Of two different types the sums are f32, and c is widened or d
// rounded once more.
Result<Handler> bind_float_types(BindContext& context, ProductTypes types) {
  const FloatOperand operand = float_operand(types.operands);
  const bool half_sums = types.c == Type::f16 && types.d == Type::f16;
  WmmaFloatProduct form{};
  ASSAY_TRY(form.product, read_product<float>(context, shape_of(context), types, operand.widen));
  form.unit = s::dot_unit(tensor_architecture(*context.model), s::TensorInstruction::mma, operand.kind, operand.kind,
                          half_sums, static_cast<int>(form.product.shape.k));
  context.keep(form);
  return &multiply_wmma_float;
}

Result<Handler> bind_half(BindContext& context) {
  return bind_float_types(context, {context.type(0), Type::f16, context.type(1)});
}

Result<Handler> bind_float(BindContext& context) {
  return bind_float_types(context, {context.type(0), context.type(1), context.type(3)});
}

void copy_doubles(const void* elements, size_t count, double* to) {
  std::memcpy(to, elements, sizeof(double) * count);
}
void copy_words(const void* elements, size_t count, int32_t* to) {
  std::memcpy(to, elements, sizeof(int32_t) * count);
}

Result<Handler> bind_double(BindContext& context) {
  ASSAY_TRY(const auto product,
            read_product<double>(context, shape_of(context), {Type::f64, Type::f64, Type::f64}, copy_doubles));
  context.keep(product);
  return &multiply_wmma_double;
}

Result<Handler> bind_integer(BindContext& context) {
  if (context.type(1) != context.type(2)) return context.error("a and b have different types");
  WmmaIntegerProduct form{};
  ASSAY_TRY(form.product, read_product<int32_t>(context, shape_of(context), {Type::s32, context.type(1), Type::s32},
                                                widen_integers(context.type(1))));
  form.satfinite = context.has("satfinite");
  context.keep(form);
  return &multiply_wmma_integer;
}

Result<Handler> bind_bits(BindContext& context) {
  auto [m, n, k] = shape_of(context);
  WmmaBitProduct form{};
  ASSAY_TRY(form.product,
            read_product<int32_t>(context, {m, n, k / 32}, {Type::s32, Type::b32, Type::s32}, copy_words));
  form.exclusive = context.has("xor");
  context.keep(form);
  return &multiply_wmma_bits;
}

constexpr std::array kBindings = {
    Binding{"wmma.load.f16", bind_wmma_load},    Binding{"wmma.load.bf16", bind_wmma_load},
    Binding{"wmma.load.tf32", bind_wmma_load},   Binding{"wmma.load.f32", bind_wmma_load},
    Binding{"wmma.load.f64", bind_wmma_load},    Binding{"wmma.load.int8", bind_wmma_load},
    Binding{"wmma.load.int4.a", bind_wmma_load}, Binding{"wmma.load.int4.b", bind_wmma_load},
    Binding{"wmma.load.b1.a", bind_wmma_load},   Binding{"wmma.load.b1.b", bind_wmma_load},
    Binding{"wmma.load.s32", bind_wmma_load},    Binding{"wmma.store.f16", bind_wmma_store},
    Binding{"wmma.store.f32", bind_wmma_store},  Binding{"wmma.store.f64", bind_wmma_store},
    Binding{"wmma.store.s32", bind_wmma_store},  Binding{"wmma.mma.f16", bind_half},
    Binding{"wmma.mma.bf16", bind_float},        Binding{"wmma.mma.tf32", bind_float},
    Binding{"wmma.mma.f64", bind_double},        Binding{"wmma.mma.int8", bind_integer},
    Binding{"wmma.mma.int4", bind_integer},      Binding{"wmma.mma.b1", bind_bits},
};

}  // namespace

std::span<const Binding> wmma_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
