// SPDX-License-Identifier: MIT
// Rows of the opcode table: comparisons and selection.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kCompareRows = {
    OpcodeRow{"setp.int", "setp.$cmp_int.(b16|b32|b64|$int) d:pred|q:pred, a, b", "d = a cmp b; q = !(a cmp b)"},
    OpcodeRow{"setp.int.join", "setp.$cmp_int.$bool.(b16|b32|b64|$int) d:pred|q:pred, a, b, c:pred",
              "d = (a cmp b) bool c; q = !(a cmp b) bool c"},
    OpcodeRow{"setp.float", "setp.$cmp_float{.ftz}.(f16|f32|f64) d:pred|q:pred, a, b", "d = a cmp b; q = !(a cmp b)"},
    OpcodeRow{"setp.float.join", "setp.$cmp_float.$bool{.ftz}.(f16|f32|f64) d:pred|q:pred, a, b, c:pred",
              "d = (a cmp b) bool c; q = !(a cmp b) bool c"},
    OpcodeRow{"setp.bf16", "setp.$cmp_float.bf16 d:pred|q:pred, a, b", "d = a cmp b; q = !(a cmp b)"},
    OpcodeRow{"setp.bf16.join", "setp.$cmp_float.$bool.bf16 d:pred|q:pred, a, b, c:pred",
              "d = (a cmp b) bool c; q = !(a cmp b) bool c"},
    OpcodeRow{"setp.f16x2", "setp.$cmp_float{.ftz}.f16x2 d:pred|q:pred, a, b",
              "d = a cmp b of the lower halves, q of the upper halves"},
    OpcodeRow{"setp.f16x2.join", "setp.$cmp_float.$bool{.ftz}.f16x2 d:pred|q:pred, a, b, c:pred",
              "d = (a cmp b) bool c of the lower halves, q of the upper halves"},
    OpcodeRow{"setp.bf16x2", "setp.$cmp_float.bf16x2 d:pred|q:pred, a, b",
              "d = a cmp b of the lower halves, q of the upper halves"},
    OpcodeRow{"setp.bf16x2.join", "setp.$cmp_float.$bool.bf16x2 d:pred|q:pred, a, b, c:pred",
              "d = (a cmp b) bool c of the lower halves, q of the upper halves"},

    OpcodeRow{"set.int", "set.$cmp_int.(u32|s32|f32|f16|bf16).(b16|b32|b64|$int) d:t0, a:t1, b:t1",
              "d = a cmp b ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.int.join", "set.$cmp_int.$bool.(u32|s32|f32|f16|bf16).(b16|b32|b64|$int) d:t0, a:t1, b:t1, c:pred",
              "d = (a cmp b) bool c ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.float", "set.$cmp_float{.ftz}.(u32|s32|f32|f16|bf16).(f32|f64) d:t0, a:t1, b:t1",
              "d = a cmp b ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.float.join", "set.$cmp_float.$bool{.ftz}.(u32|s32|f32|f16|bf16).(f32|f64) d:t0, a:t1, b:t1, c:pred",
              "d = (a cmp b) bool c ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.f16", "set.$cmp_float{.ftz}.(u16|s16|u32|s32|f16|bf16).f16 d:t0, a:t1, b:t1",
              "d = a cmp b ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.f16.join", "set.$cmp_float.$bool{.ftz}.(u16|s16|u32|s32|f16|bf16).f16 d:t0, a:t1, b:t1, c:pred",
              "d = (a cmp b) bool c ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.bf16", "set.$cmp_float.(u16|s16|u32|s32|bf16).bf16 d:t0, a:t1, b:t1",
              "d = a cmp b ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.bf16.join", "set.$cmp_float.$bool.(u16|s16|u32|s32|bf16).bf16 d:t0, a:t1, b:t1, c:pred",
              "d = (a cmp b) bool c ? all ones, or 1.0 : 0"},
    OpcodeRow{"set.f16x2", "set.$cmp_float{.ftz}.(u32|s32|f16x2).f16x2 d:t0, a:t1, b:t1",
              "each half of d = a cmp b ? 0xffff, or 1.0 : 0"},
    OpcodeRow{"set.f16x2.join", "set.$cmp_float.$bool{.ftz}.(u32|s32|f16x2).f16x2 d:t0, a:t1, b:t1, c:pred",
              "each half of d = (a cmp b) bool c ? 0xffff, or 1.0 : 0"},
    OpcodeRow{"set.bf16x2", "set.$cmp_float.(u32|s32|bf16x2).bf16x2 d:t0, a:t1, b:t1",
              "each half of d = a cmp b ? 0xffff, or 1.0 : 0"},
    OpcodeRow{"set.bf16x2.join", "set.$cmp_float.$bool.(u32|s32|bf16x2).bf16x2 d:t0, a:t1, b:t1, c:pred",
              "each half of d = (a cmp b) bool c ? 0xffff, or 1.0 : 0"},

    OpcodeRow{"selp", "selp.(b16|b32|b64|$int|f32|f64) d, a, b, c:pred", "d = c ? a : b"},
    OpcodeRow{"slct.s32", "slct.(b16|b32|b64|$int|f32|f64).s32 d, a, b, c:s32", "d = c >= 0 ? a : b"},
    OpcodeRow{"slct.f32", "slct{.ftz}.(b16|b32|b64|$int|f32|f64).f32 d, a, b, c:f32", "d = c >= 0 ? a : b"},
};

}  // namespace

std::span<const OpcodeRow> compare_rows() {
  return kCompareRows;
}

}  // namespace assay::ptx
