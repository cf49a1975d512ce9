// SPDX-License-Identifier: MIT
#include "vgpu/execute/carry.hpp"

#include "vgpu/execute/lanes.hpp"
#include "vgpu/semantics/integer.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

// Instruction::variant: which of these the instruction asks for.
constexpr uint8_t kTakesCarry = 1;
constexpr uint8_t kSetsCarry = 2;

template <class Compute>
void for_lanes_with_carry(Warp& warp, const Instruction& instruction, Compute compute) {
  const LaneMask carry_in = (instruction.variant & kTakesCarry) != 0 ? warp.carry : 0;
  LaneMask carry_out = 0;
  for_each_lane(warp.mask, [&](int lane) {
    if (compute(lane, (carry_in >> lane & 1) != 0)) carry_out |= LaneMask{1} << lane;
  });
  if ((instruction.variant & kSetsCarry) != 0) warp.carry = (warp.carry & ~warp.mask) | carry_out;
}

template <class T, s::Carried<T> (*F)(T, T, bool)>
void add_like(Warp& warp, const Instruction& instruction) {
  T* d = warp.row<T>(instruction.rows[0]);
  const T* a = warp.row<T>(instruction.rows[1]);
  const T* b = warp.row<T>(instruction.rows[2]);
  for_lanes_with_carry(warp, instruction, [&](int lane, bool carry) {
    const auto result = F(a[lane], b[lane], carry);
    d[lane] = result.value;
    return result.carry;
  });
}

// A subtraction leaves the carry of a + ~b + 1, which is set where nothing is borrowed. Compilers count on it where
// they mix chains: their 128-bit division takes what sub.cc leaves with addc.
template <class T>
void subtract(Warp& warp, const Instruction& instruction) {
  T* d = warp.row<T>(instruction.rows[0]);
  const T* a = warp.row<T>(instruction.rows[1]);
  const T* b = warp.row<T>(instruction.rows[2]);
  const bool takes = (instruction.variant & kTakesCarry) != 0;
  for_lanes_with_carry(warp, instruction, [&](int lane, bool carry) {
    const auto result = s::sub_borrow(a[lane], b[lane], takes && !carry);
    d[lane] = result.value;
    return !result.carry;
  });
}

template <class T, s::Carried<T> (*F)(T, T, T, bool)>
void multiply_like(Warp& warp, const Instruction& instruction) {
  T* d = warp.row<T>(instruction.rows[0]);
  const T* a = warp.row<T>(instruction.rows[1]);
  const T* b = warp.row<T>(instruction.rows[2]);
  const T* c = warp.row<T>(instruction.rows[3]);
  for_lanes_with_carry(warp, instruction, [&](int lane, bool carry) {
    const auto result = F(a[lane], b[lane], c[lane], carry);
    d[lane] = result.value;
    return result.carry;
  });
}

void note_carry(BindContext& context) {
  const bool takes = context.syntax->opcode.back() == 'c';  // addc, subc, madc
  context.instruction->variant = static_cast<uint8_t>((takes ? kTakesCarry : 0) | (context.has("cc") ? kSetsCarry : 0));
}

bool is_64_bits(const BindContext& context) {
  return ptx::info(context.type()).bits == 64;
}

template <class Product, class T>
Handler multiply_handler(bool high) {
  return high ? &multiply_like<T, s::mad_hi_carry<Product, T>> : &multiply_like<T, s::mad_lo_carry<Product, T>>;
}

}  // namespace

Result<Handler> bind_add_carry(BindContext& context) {
  note_carry(context);
  if (is_64_bits(context)) return &add_like<uint64_t, s::add_carry<uint64_t>>;
  return &add_like<uint32_t, s::add_carry<uint32_t>>;
}

Result<Handler> bind_subtract_borrow(BindContext& context) {
  note_carry(context);
  return is_64_bits(context) ? &subtract<uint64_t> : &subtract<uint32_t>;
}

Result<Handler> bind_multiply_add_carry(BindContext& context) {
  note_carry(context);
  const bool high = context.has("hi");
  switch (context.type()) {
    case ptx::Type::u32:
      return multiply_handler<uint32_t, uint32_t>(high);
    case ptx::Type::s32:
      return multiply_handler<int32_t, uint32_t>(high);
    case ptx::Type::u64:
      return multiply_handler<uint64_t, uint64_t>(high);
    default:
      return multiply_handler<int64_t, uint64_t>(high);
  }
}

}  // namespace assay::vgpu
