// SPDX-License-Identifier: MIT
// Rows of the opcode table: matrices of a warp with fragments of an open layout (nvcuda::wmma).
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

// The types of wmma.mma are those of d, a, b and c; with f16 operands those of d and c alone. Matrices of 4-bit and
// 1-bit elements have one layout each.
constexpr std::array kWmmaRows = {
    OpcodeRow{"wmma.load.f16", "wmma.load.(a|b|c).sync.aligned.(row|col).$wmma{.$ss}.f16 {d}:b32, [a]{, stride:b32}",
              "d = the fragment of a matrix that begins at a", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.bf16", "wmma.load.(a|b).sync.aligned.(row|col).$wmma{.$ss}.bf16 {d}:b32, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.tf32", "wmma.load.(a|b).sync.aligned.(row|col).m16n16k8{.$ss}.tf32 {d}:b32, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.f32",
              "wmma.load.c.sync.aligned.(row|col).($wmma|m16n16k8){.$ss}.f32 {d}:b32, [a]{, stride:b32}", "the same",
              Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.f64", "wmma.load.(a|b|c).sync.aligned.(row|col).m8n8k4{.$ss}.f64 {d}, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.int8", "wmma.load.(a|b).sync.aligned.(row|col).$wmma{.$ss}.(s8|u8) {d}:b32, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.int4.a", "wmma.load.a.sync.aligned.row.m8n8k32{.$ss}.(s4|u4) {d}:b32, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.int4.b", "wmma.load.b.sync.aligned.col.m8n8k32{.$ss}.(s4|u4) {d}:b32, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.b1.a", "wmma.load.a.sync.aligned.row.m8n8k128{.$ss}.b1 {d}:b32, [a]{, stride:b32}", "the same",
              Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.b1.b", "wmma.load.b.sync.aligned.col.m8n8k128{.$ss}.b1 {d}:b32, [a]{, stride:b32}", "the same",
              Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.load.s32",
              "wmma.load.c.sync.aligned.(row|col).($wmma|m8n8k32|m8n8k128){.$ss}.s32 {d}:b32, [a]{, stride:b32}",
              "the same", Fidelity::exact, Operation::load},
    OpcodeRow{"wmma.store.f16", "wmma.store.d.sync.aligned.(row|col).$wmma{.$ss}.f16 [a], {b}:b32{, stride:b32}",
              "the matrix that begins at a = the fragment b", Fidelity::exact, Operation::store},
    OpcodeRow{"wmma.store.f32",
              "wmma.store.d.sync.aligned.(row|col).($wmma|m16n16k8){.$ss}.f32 [a], {b}:b32{, stride:b32}", "the same",
              Fidelity::exact, Operation::store},
    OpcodeRow{"wmma.store.f64", "wmma.store.d.sync.aligned.(row|col).m8n8k4{.$ss}.f64 [a], {b}{, stride:b32}",
              "the same", Fidelity::exact, Operation::store},
    OpcodeRow{"wmma.store.s32",
              "wmma.store.d.sync.aligned.(row|col).($wmma|m8n8k32|m8n8k128){.$ss}.s32 [a], {b}:b32{, stride:b32}",
              "the same", Fidelity::exact, Operation::store},
    OpcodeRow{"wmma.mma.f16",
              "wmma.mma.sync.aligned.(row|col).(row|col).$wmma.(f16|f32).(f16|f32) {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = a b + c; f16 products", Fidelity::exact, Operation::product},
    OpcodeRow{"wmma.mma.bf16",
              "wmma.mma.sync.aligned.(row|col).(row|col).$wmma.f32.bf16.bf16.f32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = a b + c; bf16 products", Fidelity::exact, Operation::product},
    OpcodeRow{"wmma.mma.tf32",
              "wmma.mma.sync.aligned.(row|col).(row|col).m16n16k8.f32.tf32.tf32.f32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = a b + c; tf32 products", Fidelity::exact, Operation::product},
    OpcodeRow{"wmma.mma.f64",
              "wmma.mma.sync.aligned.(row|col).(row|col).m8n8k4{.rn}.f64.f64.f64.f64 {d}, {a}, {b}, {c}",
              "d = a b + c in f64, one fma after the other", Fidelity::exact, Operation::product},
    OpcodeRow{"wmma.mma.int8",
              "wmma.mma.sync.aligned.(row|col).(row|col).$wmma{.satfinite}.s32.(s8|u8).(s8|u8).s32 {d}:b32, {a}:b32, "
              "{b}:b32, {c}:b32",
              "d = a b + c in integers", Fidelity::exact, Operation::product},
    OpcodeRow{"wmma.mma.int4",
              "wmma.mma.sync.aligned.row.col.m8n8k32{.satfinite}.s32.(s4|u4).(s4|u4).s32 {d}:b32, {a}:b32, {b}:b32, "
              "{c}:b32",
              "d = a b + c in integers", Fidelity::exact, Operation::product},
    OpcodeRow{"wmma.mma.b1",
              "wmma.mma.(xor|and).popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = c + the number of bits that are set in (a xor b) or (a and b)", Fidelity::exact, Operation::product},
};

}  // namespace

std::span<const OpcodeRow> wmma_rows() {
  return kWmmaRows;
}

}  // namespace assay::ptx
