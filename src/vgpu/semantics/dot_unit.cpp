// SPDX-License-Identifier: MIT
#include "vgpu/semantics/dot_unit.hpp"

#include <algorithm>

namespace assay::vgpu::semantics {

namespace {

bool is_float8(TensorOperand operand) {
  return operand == TensorOperand::e4m3 || operand == TensorOperand::e5m2;
}

int min_exponent(TensorOperand operand) {
  switch (operand) {
    case TensorOperand::f16:
    case TensorOperand::e5m2:
      return -14;
    case TensorOperand::e4m3:
      return -6;
    case TensorOperand::bf16:
    case TensorOperand::tf32:
      return -126;
  }
  return -126;
}

// Ampere and Ada take 16 bytes of a row at a time.
int ampere_step(TensorOperand operand) {
  if (is_float8(operand)) return 16;
  return operand == TensorOperand::tf32 ? 4 : 8;
}

}  // namespace

DotUnit dot_unit(TensorArchitecture architecture, TensorInstruction instruction, TensorOperand a, TensorOperand b,
                 bool half_result, int k) {
  DotUnit unit;
  unit.min_exponent_a = min_exponent(a);
  unit.min_exponent_b = min_exponent(b);
  unit.min_exponent_c = half_result ? -14 : -126;
  unit.result = half_result ? TensorResult::f16 : TensorResult::f32;
  const bool float8 = is_float8(a);
  if (architecture == TensorArchitecture::hopper) {
    unit.fraction_bits = 25;
    unit.lowest_lead = -133;
    unit.k_per_step = k;
    if (float8 && instruction == TensorInstruction::mma) {
      // The operands are widened to f16 first, in which every e4m3 is a normal number.
      unit.min_exponent_a = unit.min_exponent_b = -14;
      unit.k_per_step = std::max(1, k / 2);
      unit.pairs_apart = unit.addend_last = true;
      return unit;
    }
  } else {
    unit.fraction_bits = 24;
    unit.k_per_step = std::min(k, ampere_step(a));
  }
  if (float8) {
    unit.fraction_bits = 13;
    if (!half_result) unit.result = TensorResult::f32_short;
  }
  return unit;
}

}  // namespace assay::vgpu::semantics
