// SPDX-License-Identifier: MIT
// Rows of the opcode table: integer arithmetic.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kIntegerRows = {
    OpcodeRow{"add.int", "add.$int d, a, b", "d = a + b, modulo 2^n"},
    OpcodeRow{"add.sat.s32", "add.sat.s32 d, a, b", "d = a + b, clamped to the ends of s32"},
    OpcodeRow{"sub.int", "sub.$int d, a, b", "d = a - b, modulo 2^n"},
    OpcodeRow{"sub.sat.s32", "sub.sat.s32 d, a, b", "d = a - b, clamped to the ends of s32"},
    OpcodeRow{"mul.lo", "mul.lo.$int d, a, b", "d = the low half of a * b"},
    OpcodeRow{"mul.hi", "mul.hi.$int d, a, b", "d = the high half of a * b"},
    OpcodeRow{"mul.wide", "mul.wide.(u16|s16|u32|s32) d:wide, a, b", "d = a * b, twice as wide"},
    OpcodeRow{"mad.lo", "mad.lo.$int d, a, b, c", "d = the low half of a * b, plus c"},
    OpcodeRow{"mad.hi", "mad.hi.$int d, a, b, c", "d = the high half of a * b, plus c"},
    OpcodeRow{"mad.hi.sat.s32", "mad.hi.sat.s32 d, a, b, c", "the same, clamped to the ends of s32"},
    OpcodeRow{"mad.wide", "mad.wide.(u16|s16|u32|s32) d:wide, a, b, c:wide", "d = a * b + c, twice as wide"},
    OpcodeRow{"mul24", "mul24.(lo|hi).(u32|s32) d, a, b", "d = bits 0-31 or 16-47 of the product of the low 24 bits"},
    OpcodeRow{"mad24", "mad24.(lo|hi).(u32|s32) d, a, b, c", "the same, plus c"},
    OpcodeRow{"mad24.hi.sat.s32", "mad24.hi.sat.s32 d, a, b, c", "the same, clamped to the ends of s32"},
    OpcodeRow{"div.int", "div.$int d, a, b", "d = a / b, toward zero"},
    OpcodeRow{"rem", "rem.$int d, a, b", "d = the remainder of a / b"},
    OpcodeRow{"abs.int", "abs.(s16|s32|s64) d, a", "d = |a|"},
    OpcodeRow{"neg.int", "neg.(s16|s32|s64) d, a", "d = -a"},
    OpcodeRow{"min.int", "min.$int d, a, b", "d = the smaller"},
    OpcodeRow{"max.int", "max.$int d, a, b", "d = the larger"},
    OpcodeRow{"min.relu", "min.relu.s32 d, a, b", "d = the smaller, or 0 if it is negative"},
    OpcodeRow{"max.relu", "max.relu.s32 d, a, b", "d = the larger, or 0 if it is negative"},
    OpcodeRow{"min.x2", "min{.relu}.(u16x2|s16x2) d, a, b", "both halves: the smaller"},
    OpcodeRow{"max.x2", "max{.relu}.(u16x2|s16x2) d, a, b", "both halves: the larger"},
    OpcodeRow{"add.x2", "add.(u16x2|s16x2) d, a, b", "both halves: a + b"},
    OpcodeRow{"sad", "sad.$int d, a, b, c", "d = c + |a - b|"},
    OpcodeRow{"dp4a", "dp4a.(u32|s32).(u32|s32) d:b32, a:b32, b:b32, c:b32", "d = c + the sum of four byte products"},
    OpcodeRow{"dp2a", "dp2a.(lo|hi).(u32|s32).(u32|s32) d:b32, a:b32, b:b32, c:b32",
              "d = c + the sum of two products of halves and bytes"},
    OpcodeRow{"add.cc", "add.cc.(u32|s32|u64|s64) d, a, b", "d = a + b; CC = the carry"},
    OpcodeRow{"addc", "addc{.cc}.(u32|s32|u64|s64) d, a, b", "d = a + b + CC; .cc: CC = the carry"},
    OpcodeRow{"sub.cc", "sub.cc.(u32|s32|u64|s64) d, a, b", "d = a - b; CC = the borrow"},
    OpcodeRow{"subc", "subc{.cc}.(u32|s32|u64|s64) d, a, b", "d = a - b - CC; .cc: CC = the borrow"},
    OpcodeRow{"mad.cc", "mad.(lo|hi).cc.(u32|s32|u64|s64) d, a, b, c", "d = half of a * b, plus c; CC = the carry"},
    OpcodeRow{"madc", "madc.(lo|hi){.cc}.(u32|s32|u64|s64) d, a, b, c",
              "d = half of a * b, plus c and CC; .cc: CC = the carry"},
};

}  // namespace

std::span<const OpcodeRow> integer_rows() {
  return kIntegerRows;
}

}  // namespace assay::ptx
