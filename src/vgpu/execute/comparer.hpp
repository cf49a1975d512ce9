// SPDX-License-Identifier: MIT
// A comparison of two rows, picked by an instruction's modifiers: what setp and set share.
#pragma once

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

// In which lanes the comparison holds for the values of the rows a and b.
using CompareRows = LaneMask (*)(const void* a, const void* b);

struct Comparer {
  Handler setp = nullptr;  // the whole instruction, for sources of one value each
  CompareRows rows = nullptr;
};

// For values of this type. Of f16x2 and bf16x2 it compares single halves.
Result<Comparer> comparer_of(const BindContext& context, ptx::Type type);

// The modifiers .and, .or and .xor, as kept in Instruction::variant.
uint8_t join_of(const BindContext& context);

// What setp and set make of a comparison: joined with the predicate in `row` if the instruction wants that.
LaneMask joined(const Warp& warp, const Instruction& instruction, uint32_t row, LaneMask lanes);

// The results of a setp with the operands p|q, a, b{, c}.
void store_comparison(Warp& warp, const Instruction& instruction, LaneMask first, LaneMask second);

}  // namespace assay::vgpu
