// SPDX-License-Identifier: MIT
// Matrix instructions of a warp group: what their operands must be. warpgroup_product.cpp executes them.
#include <array>
#include <fmt/format.h>

#include "ptx/matrix_shape.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/warpgroup_product.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

Result<void> check_model(const BindContext& context) {
  if (context.model->tensor_arch == gpu::TensorArch::hopper) return {};
  return context.error(fmt::format("only Hopper GPUs have wgmma, and the {} is none", context.model->name));
}

// --- fences and groups: products are complete when they were issued

void tell_group(Warp& warp, const Instruction& instruction) {
  warp.block().tell([&](BlockObserver& observer) { observer.grouped(warp, instruction); });
}

Result<Handler> bind_group(BindContext& context) {
  ASSAY_CHECK(check_model(context));
  return &tell_group;
}

// A product is the warp's, not a lane's: behind the wait any lane may tell others that its operands can be overwritten.
void wait_group(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.block().tell([&](BlockObserver& observer) { observer.synchronised(warp, warp.mask); });
}

Result<Handler> bind_wait_group(BindContext& context) {
  if (!context.operands[0].is_immediate) return context.error("wgmma.wait_group needs a constant");
  context.instruction->detail = static_cast<uint32_t>(context.operands[0].value);
  ASSAY_CHECK(check_model(context));
  return &wait_group;
}

// --- products

// The metadata of a product of `k` lies in the lanes of each quad as that of an mma.sp, which the selector counts.
Result<SparseOperand> read_sparsity(const BindContext& context, size_t selector_at, size_t k) {
  const ptx::Type type = context.type(1);
  SparseOperand sparse{};
  sparse.sparsity = type == ptx::Type::tf32 ? s::Sparsity::one_of_two : s::Sparsity::two_of_four;
  sparse.narrow = ptx::info(type).bits < 16;
  const size_t lanes = s::metadata_lanes(sparse.narrow, k / s::sparse_group(sparse.sparsity));
  const BoundOperand& selector = context.operands[selector_at];
  if (!selector.is_immediate || selector.value * lanes >= 4)
    return context.error(fmt::format("the sparsity selector of this shape is a constant below {}", 4 / lanes));
  sparse.first_lane = selector.value * lanes;
  return sparse;
}

// What every form has: d, a, b's descriptor, scale-d.
template <class T>
Result<ProductOperands<T>> read_operands(BindContext& context, bool half_result) {
  ASSAY_CHECK(check_model(context));
  const auto [m, n, k] = ptx::matrix_shape_of(context.modifiers->names());
  const size_t d_registers = n / (half_result ? 4 : 2);
  if (static_cast<size_t>(context.group_sizes[0]) != d_registers)
    return context.error(
        fmt::format("d has {} registers, and this shape needs {}", context.group_sizes[0], d_registers));
  const auto a_parts = static_cast<size_t>(context.group_sizes[1]);
  for (size_t i = 0; i < a_parts; ++i) {
    const int bits = context.bits(d_registers + i);
    if (!(a_parts == 1 && bits == 64) && !(a_parts == 4 && bits == 32))
      return context.error("a must be a descriptor of 64 bits or four registers of 32");
  }
  ProductOperands<T> operands{};
  operands.n = n;
  operands.k = k;
  operands.d_registers = d_registers;
  operands.a_in_registers = a_parts == 4;
  if (context.has("sp")) {
    ASSAY_TRY(operands.sparse, read_sparsity(context, operands.b_descriptor() + 2, k));
  }
  return operands;
}

// The constants behind scale-d.
class Constants {
 public:
  Constants(const BindContext& context, size_t first) : context_(context), next_(first) {}
  size_t left() const { return context_.operands.size() - next_; }

  Result<bool> scale_is_negative() {
    const BoundOperand& operand = context_.operands[next_++];
    const auto value = static_cast<int32_t>(operand.value);
    if (!operand.is_immediate || (value != 1 && value != -1))
      return context_.error("imm-scale-a and imm-scale-b are constants, 1 or -1");
    return value < 0;
  }
  Result<bool> transposes() {
    const BoundOperand& operand = context_.operands[next_++];
    if (!operand.is_immediate || operand.value > 1)
      return context_.error("imm-trans-a and imm-trans-b are constants, 0 or 1");
    return operand.value == 1;
  }

 private:
  const BindContext& context_;
  size_t next_;
};

Result<Handler> bind_float(BindContext& context) {
  const bool half_result = context.type(0) == ptx::Type::f16;
  const FloatOperand a = float_operand(context.type(1));
  const FloatOperand b = float_operand(context.type(2));
  FloatProduct product{};
  ASSAY_TRY(product.operands, read_operands<float>(context, half_result));
  ProductOperands<float>& operands = product.operands;
  operands.widen_a = a.widen;
  operands.widen_b = b.widen;
  Constants constants(context, operands.scale_d() + 1);
  ASSAY_TRY(const bool negative_a, constants.scale_is_negative());
  ASSAY_TRY(const bool negative_b, constants.scale_is_negative());
  product.negated = negative_a != negative_b;
  if (constants.left() > 0) {
    if (constants.left() != (operands.a_in_registers ? 1 : 2))
      return context.error("imm-trans-a and imm-trans-b stand at the end; imm-trans-a only where a is a descriptor");
    if (!operands.a_in_registers) {
      ASSAY_TRY(operands.a_across, constants.transposes());
    }
    ASSAY_TRY(operands.b_across, constants.transposes());
  }
  product.half_result = half_result;
  product.unit = s::dot_unit(tensor_architecture(*context.model), s::TensorInstruction::wgmma, a.kind, b.kind,
                             half_result, static_cast<int>(operands.k));
  context.keep(product);
  return &multiply_float_group;
}

Result<Handler> bind_integer(BindContext& context) {
  IntegerProduct product{};
  ASSAY_TRY(product.operands, read_operands<int32_t>(context, false));
  product.operands.widen_a = widen_integers(context.type(1));
  product.operands.widen_b = widen_integers(context.type(2));
  product.satfinite = context.has("satfinite");
  product.counts_bits = context.type(1) == ptx::Type::b1;
  if (product.counts_bits) product.operands.k /= 32;
  context.keep(product);
  return &multiply_integer_group;
}

constexpr std::array kBindings = {
    Binding{"wgmma.fence", bind_group},
    Binding{"wgmma.commit_group", bind_group},
    Binding{"wgmma.wait_group", bind_wait_group},
    Binding{"wgmma.mma_async.f16", bind_float},
    Binding{"wgmma.mma_async.bf16", bind_float},
    Binding{"wgmma.mma_async.tf32", bind_float},
    Binding{"wgmma.mma_async.fp8", bind_float},
    Binding{"wgmma.mma_async.int8", bind_integer},
    Binding{"wgmma.mma_async.b1", bind_integer},
    Binding{"wgmma.mma_async.sp.f16", bind_float},
    Binding{"wgmma.mma_async.sp.bf16", bind_float},
    Binding{"wgmma.mma_async.sp.tf32", bind_float},
    Binding{"wgmma.mma_async.sp.fp8", bind_float},
    Binding{"wgmma.mma_async.sp.int8", bind_integer},
};

}  // namespace

std::span<const Binding> warpgroup_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
