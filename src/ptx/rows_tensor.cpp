// SPDX-License-Identifier: MIT
// Rows of the opcode table: matrix instructions.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

#define ASSAY_SPARSE "mma.(sp|sp::ordered_metadata).sync.aligned."
#define ASSAY_SPARSE_OPERANDS " {d}:b32, {a}:b32, {b}:b32, {c}:b32, e:b32, f:u32"

constexpr std::array kTensorRows = {
    OpcodeRow{
        "mma.f16",
        "mma.sync.aligned.(m16n8k8|m16n8k16).row.col.(f32|f16).f16.f16.(f32|f16) {d}:b32, {a}:b32, {b}:b32, {c}:b32",
        "d = a b + c; sums of f16 products in f32 or f16", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.bf16",
              "mma.sync.aligned.(m16n8k8|m16n8k16).row.col.f32.bf16.bf16.f32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = a b + c; bf16 products", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.tf32",
              "mma.sync.aligned.(m16n8k4|m16n8k8).row.col.f32.tf32.tf32.f32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = a b + c; tf32 products", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.fp8",
              "mma.sync.aligned.m16n8k32.row.col.f32.(e4m3|e5m2).(e4m3|e5m2).f32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "d = a b + c; products of 8-bit floats", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.int8",
              "mma.sync.aligned.(m8n8k16|m16n8k16|m16n8k32).row.col{.satfinite}.s32.(u8|s8).(u8|s8).s32 {d}:b32, "
              "{a}:b32, {b}:b32, {c}:b32",
              "d = a b + c in integers", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.fp8.f16",
              "mma.sync.aligned.(m16n8k16|m16n8k32).row.col.f16.(e4m3|e5m2).(e4m3|e5m2).f16 {d}:b32, {a}:b32, {b}:b32, "
              "{c}:b32",
              "the same with sums in f16; how they are rounded on the way is not measured", Fidelity::approximate,
              Operation::product},
    OpcodeRow{"mma.fp8.k16",
              "mma.sync.aligned.m16n8k16.row.col.f32.(e4m3|e5m2).(e4m3|e5m2).f32 {d}:b32, {a}:b32, {b}:b32, {c}:b32",
              "the same with sums in f32 of half as many products; how they are rounded on the way is not measured",
              Fidelity::approximate, Operation::product},
    OpcodeRow{"mma.int4",
              "mma.sync.aligned.(m8n8k32|m16n8k32|m16n8k64).row.col{.satfinite}.s32.(u4|s4).(u4|s4).s32 {d}:b32, "
              "{a}:b32, {b}:b32, {c}:b32",
              "d = a b + c in integers of 4 bits", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.b1",
              "mma.sync.aligned.(m8n8k128|m16n8k128|m16n8k256).row.col.s32.b1.b1.s32.(xor|and).popc {d}:b32, {a}:b32, "
              "{b}:b32, {c}:b32",
              "d = c + the number of bits that are set in (a xor b) or (a and b)", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.sp.f16",
              ASSAY_SPARSE "(m16n8k16|m16n8k32).row.col.(f32|f16).f16.f16.(f32|f16)" ASSAY_SPARSE_OPERANDS,
              "d = a b + c; a holds two of every four elements of a row, and e which ones", Fidelity::approximate,
              Operation::product},
    OpcodeRow{"mma.sp.bf16", ASSAY_SPARSE "(m16n8k16|m16n8k32).row.col.f32.bf16.bf16.f32" ASSAY_SPARSE_OPERANDS,
              "the same in bf16", Fidelity::approximate, Operation::product},
    OpcodeRow{"mma.sp.tf32", ASSAY_SPARSE "(m16n8k8|m16n8k16).row.col.f32.tf32.tf32.f32" ASSAY_SPARSE_OPERANDS,
              "the same in tf32, one of every two elements", Fidelity::approximate, Operation::product},
    OpcodeRow{"mma.sp.fp8",
              ASSAY_SPARSE "m16n8k64.row.col.(f32|f16).(e4m3|e5m2).(e4m3|e5m2).(f32|f16)" ASSAY_SPARSE_OPERANDS,
              "the same in 8-bit floats", Fidelity::approximate, Operation::product},
    OpcodeRow{"mma.sp.int8",
              ASSAY_SPARSE "(m16n8k32|m16n8k64).row.col{.satfinite}.s32.(u8|s8).(u8|s8).s32" ASSAY_SPARSE_OPERANDS,
              "the same in integers", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.sp.int4",
              ASSAY_SPARSE "(m16n8k64|m16n8k128).row.col{.satfinite}.s32.(u4|s4).(u4|s4).s32" ASSAY_SPARSE_OPERANDS,
              "the same in integers of 4 bits, two of every four pairs", Fidelity::exact, Operation::product},
    OpcodeRow{"mma.f64",
              "mma.sync.aligned.(m8n8k4|m16n8k4|m16n8k8|m16n8k16).row.col{.rn}.f64.f64.f64.f64 {d}, {a}, {b}, {c}",
              "d = a b + c in f64, one fma after the other", Fidelity::exact, Operation::product},
    OpcodeRow{"ldmatrix", "ldmatrix.sync.aligned.m8n8.(x1|x2|x4){.trans}{.(shared|shared::cta)}.b16 {d}:b32, [a]",
              "d = 8x8 matrices of 16-bit elements; lane 8i+j gives the address of row j of matrix i", Fidelity::exact,
              Operation::matrix_load},
    OpcodeRow{"stmatrix", "stmatrix.sync.aligned.m8n8.(x1|x2|x4){.trans}{.(shared|shared::cta)}.b16 [a], {b}:b32",
              "stores 8x8 matrices, a row per lane address", Fidelity::exact, Operation::matrix_store},
    OpcodeRow{"movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 d:b32, a:b32",
              "d = the transpose of the 8x8 matrix a"},
};

#undef ASSAY_SPARSE
#undef ASSAY_SPARSE_OPERANDS

}  // namespace

std::span<const OpcodeRow> tensor_rows() {
  return kTensorRows;
}

}  // namespace assay::ptx
