// SPDX-License-Identifier: MIT
// Rows of the opcode table: matrix instructions.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

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

}  // namespace

std::span<const OpcodeRow> tensor_rows() {
  return kTensorRows;
}

}  // namespace assay::ptx
