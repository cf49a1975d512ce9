// SPDX-License-Identifier: MIT
// Rows of the opcode table: conversions between types.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kConvertRows = {
    OpcodeRow{"cvt.int", "cvt{.sat}.(u8|s8|$int).(u8|s8|$int) d:t0+, a:t1+", "d = a, extended or cut; .sat: clamped"},
    OpcodeRow{"cvt.float_to_int", "cvt.$irnd{.ftz}{.sat}.(u8|s8|$int).(f16|bf16|f32|f64) d:t0+, a:t1+",
              "d = a rounded to an integer and clamped"},
    OpcodeRow{"cvt.int_to_float", "cvt.$rnd{.ftz}{.sat}.(f16|bf16|f32|f64).(u8|s8|$int) d:t0+, a:t1+",
              "d = a, rounded; .sat: clamped to [0, 1]"},
    OpcodeRow{"cvt.widen", "cvt{.$rnd}{.ftz}{.sat}.(f32|f64).(f16|bf16) d:t0, a:t1+", "d = a, exact"},
    OpcodeRow{"cvt.f64.f32", "cvt{.ftz}{.sat}.f64.f32 d:t0, a:t1", "d = a, exact"},
    OpcodeRow{"cvt.narrow.f64", "cvt.$rnd{.ftz}{.sat}.(f32|f16|bf16).f64 d:t0+, a:t1", "d = a, rounded"},
    OpcodeRow{"cvt.narrow.f32", "cvt.$rnd{.ftz}{.sat}.(f16|bf16).f32 d:t0+, a:t1", "d = a, rounded"},
    OpcodeRow{"cvt.bf16.f16", "cvt{.$rnd}.bf16.f16 d:t0+, a:t1+", "d = a, rounded"},
    OpcodeRow{"cvt.f16.bf16", "cvt{.$rnd}.f16.bf16 d:t0+, a:t1+", "d = a, rounded"},
    OpcodeRow{"cvt.integral", "cvt.$irnd{.ftz}{.sat}.(f16|bf16|f32|f64).(f16|bf16|f32|f64) d:t0+, a:t1+",
              "d = a rounded to an integral value; both types are the same"},
    OpcodeRow{"cvt.same", "cvt{.ftz}{.sat}.(f16|bf16|f32|f64).(f16|bf16|f32|f64) d:t0+, a:t1+",
              "d = a, flushed or clamped to [0, 1]; both types are the same"},

    OpcodeRow{"cvt.half", "cvt.(rn|rz){.relu}{.satfinite}.(f16|bf16).f32 d:t0+, a:t1",
              "d = a, rounded; .relu: negative results become 0, .satfinite: infinite ones the largest number"},
    OpcodeRow{"cvt.half_pair", "cvt.(rn|rz){.relu}{.satfinite}.(f16x2|bf16x2).f32 d:t0, a:t1, b:t1",
              "d = a in the upper half, b in the lower"},
    OpcodeRow{"cvt.tf32", "cvt.(rn|rz){.relu}.tf32.f32 d:b32, a:f32", "d = a, rounded to ten bits of fraction"},
    OpcodeRow{"cvt.tf32.rna", "cvt.rna{.satfinite}.tf32.f32 d:b32, a:f32",
              "d = a, rounded to ten bits of fraction, ties away from zero"},
    OpcodeRow{"cvt.fp8.f32", "cvt.rn.satfinite{.relu}.(e4m3x2|e5m2x2).f32 d:t0, a:f32, b:f32",
              "d = a in the upper byte, b in the lower"},
    OpcodeRow{"cvt.fp8.f16x2", "cvt.rn.satfinite{.relu}.(e4m3x2|e5m2x2).f16x2 d:t0, a:t1",
              "d = both halves of a, rounded"},
    OpcodeRow{"cvt.f16x2.fp8", "cvt.rn{.relu}.f16x2.(e4m3x2|e5m2x2) d:t0, a:t1", "d = both bytes of a, exact"},

    OpcodeRow{"cvt.pack.16", "cvt.pack.sat.(u16|s16).s32 d:b32, a:s32, b:s32",
              "d = a in the upper half, b in the lower, both clamped"},
    OpcodeRow{"cvt.pack.8", "cvt.pack.sat.(u8|s8|u4|s4).s32.b32 d:b32, a:s32, b:s32, c:b32",
              "d = c shifted up, then a, then b at the low end, both clamped"},
};

}  // namespace

std::span<const OpcodeRow> convert_rows() {
  return kConvertRows;
}

}  // namespace assay::ptx
