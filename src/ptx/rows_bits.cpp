// SPDX-License-Identifier: MIT
// Rows of the opcode table: logic, shifts and bit fields.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kBitsRows = {
    OpcodeRow{"and.pred", "and.pred d, a, b", "d = a && b"},
    OpcodeRow{"or.pred", "or.pred d, a, b", "d = a || b"},
    OpcodeRow{"xor.pred", "xor.pred d, a, b", "d = a != b"},
    OpcodeRow{"not.pred", "not.pred d, a", "d = !a"},
    OpcodeRow{"and", "and.(b16|b32|b64) d, a, b", "d = a & b"},
    OpcodeRow{"or", "or.(b16|b32|b64) d, a, b", "d = a | b"},
    OpcodeRow{"xor", "xor.(b16|b32|b64) d, a, b", "d = a ^ b"},
    OpcodeRow{"not", "not.(b16|b32|b64) d, a", "d = ~a"},
    OpcodeRow{"cnot", "cnot.(b16|b32|b64) d, a", "d = a == 0 ? 1 : 0"},
    OpcodeRow{"shl", "shl.(b16|b32|b64) d, a, b:u32", "d = a << b; 0 from the width on"},
    OpcodeRow{"shr", "shr.(b16|b32|b64|u16|u32|u64|s16|s32|s64) d, a, b:u32", "d = a >> b; filled with the sign or 0"},
    OpcodeRow{"shf", "shf.(l|r).(wrap|clamp).b32 d, a, b, c:u32", "d = 32 bits of the pair b:a, shifted"},
    OpcodeRow{"lop3", "lop3.b32 d, a, b, c, t:u32", "d = the logic function of a, b, c with truth table t"},
    OpcodeRow{"lop3.bool", "lop3.(or|and).b32 d|p:pred, a, b, c, t:u32, q:pred",
              "the same; p = (d != 0) joined with q"},
    OpcodeRow{"popc", "popc.(b32|b64) d:u32, a", "d = the number of ones"},
    OpcodeRow{"clz", "clz.(b32|b64) d:u32, a", "d = the number of leading zeros"},
    OpcodeRow{"brev", "brev.(b32|b64) d, a", "d = the bits in reverse order"},
    OpcodeRow{"bfind", "bfind{.shiftamt}.(u32|u64|s32|s64) d:u32, a", "d = the place of the highest significant bit"},
    OpcodeRow{"fns", "fns.b32 d, a, b:u32, c:s32", "d = the place of the c-th one from bit b"},
    OpcodeRow{"bfe", "bfe.(u32|u64|s32|s64) d, a, b:u32, c:u32", "d = c bits of a from bit b"},
    OpcodeRow{"bfi", "bfi.(b32|b64) d, a, b, c:u32, e:u32", "d = b with e bits from bit c taken from a"},
    OpcodeRow{"bmsk", "bmsk.(clamp|wrap).b32 d, a, b", "d = b ones from bit a"},
    OpcodeRow{"szext", "szext.(clamp|wrap).(u32|s32) d, a, b:u32", "d = the low b bits of a, extended"},
    OpcodeRow{"prmt", "prmt.b32{.(f4e|b4e|rc8|ecl|ecr|rc16)} d, a, b, c", "d = bytes of the pair b:a, picked by c"},
};

}  // namespace

std::span<const OpcodeRow> bits_rows() {
  return kBitsRows;
}

}  // namespace assay::ptx
