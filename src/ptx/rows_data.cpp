// SPDX-License-Identifier: MIT
// Rows of the opcode table: moving values between registers, and addresses between spaces.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kDataRows = {
    OpcodeRow{"mov.pred", "mov.pred d, a", "d = a"},
    OpcodeRow{"mov", "mov.(b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64) d, a",
              "d = a; a may be a register, constant, special register, or the address of a variable"},
    OpcodeRow{"mov.pack", "mov.(b32|b64|b128) d, {a}:any", "d = the elements of a side by side, the first lowest"},
    OpcodeRow{"mov.unpack", "mov.(b32|b64|b128) {d}:any, a", "the elements of d = the parts of a, the lowest first"},
    OpcodeRow{"cvta", "cvta.(global|$shared|local|const|param|param::entry).(u32|u64) d, a",
              "d = the generic address of a, an address in the space"},
    OpcodeRow{"cvta.to", "cvta.to.(global|$shared|local|const|param|param::entry).(u32|u64) d, a",
              "d = the address in the space of a, a generic address"},
    OpcodeRow{"isspacep",
              "isspacep.(global|shared|shared::cta|shared::cluster|local|const|param|param::entry) d:pred, a:any",
              "d = the generic address a lies in the space"},
};

}  // namespace

std::span<const OpcodeRow> data_rows() {
  return kDataRows;
}

}  // namespace assay::ptx
