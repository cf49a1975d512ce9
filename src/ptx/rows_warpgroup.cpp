// SPDX-License-Identifier: MIT
// Rows of the opcode table: matrix instructions of a warp group (Hopper).
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

#define ASSAY_SPARSE_OPERANDS " {d}:b32, {a}:any, b-desc:b64, e:b32, f:u32, scale-d:pred"

// `a` is a descriptor of 64 bits or four registers of 32. imm-trans-a is absent where A lies in registers.
constexpr std::array kWarpgroupRows = {
    OpcodeRow{"wgmma.fence", "wgmma.fence.sync.aligned", "orders registers and shared memory before wgmma.mma_async",
              Fidelity::functional},
    OpcodeRow{"wgmma.commit_group", "wgmma.commit_group.sync.aligned", "the products issued so far are a group",
              Fidelity::functional},
    OpcodeRow{"wgmma.wait_group", "wgmma.wait_group.sync.aligned a:u32", "waits until a groups are left",
              Fidelity::functional},
    OpcodeRow{"wgmma.mma_async.f16",
              "wgmma.mma_async.sync.aligned.$m64nNk16.(f32|f16).f16.f16 {d}:b32, {a}:any, b-desc:b64, scale-d:pred, "
              "imm-scale-a:s32, imm-scale-b:s32, imm-trans-a:s32{, imm-trans-b:s32}",
              "d = a b + d by four warps, b and possibly a in shared memory; f16 products", Fidelity::exact,
              Operation::product},
    OpcodeRow{"wgmma.mma_async.bf16",
              "wgmma.mma_async.sync.aligned.$m64nNk16.f32.bf16.bf16 {d}:b32, {a}:any, b-desc:b64, scale-d:pred, "
              "imm-scale-a:s32, imm-scale-b:s32, imm-trans-a:s32{, imm-trans-b:s32}",
              "d = a b + d by four warps; bf16 products", Fidelity::exact, Operation::product},
    OpcodeRow{"wgmma.mma_async.tf32",
              "wgmma.mma_async.sync.aligned.$m64nNk8.f32.tf32.tf32 {d}:b32, {a}:any, b-desc:b64, scale-d:pred, "
              "imm-scale-a:s32, imm-scale-b:s32",
              "d = a b + d by four warps; tf32 products", Fidelity::exact, Operation::product},
    OpcodeRow{"wgmma.mma_async.fp8",
              "wgmma.mma_async.sync.aligned.$m64nNk32.(f32|f16).(e4m3|e5m2).(e4m3|e5m2) {d}:b32, {a}:any, b-desc:b64, "
              "scale-d:pred, imm-scale-a:s32, imm-scale-b:s32",
              "d = a b + d by four warps; products of 8-bit floats", Fidelity::exact, Operation::product},
    OpcodeRow{"wgmma.mma_async.int8",
              "wgmma.mma_async.sync.aligned.$m64nNk32_int{.satfinite}.s32.(u8|s8).(u8|s8) {d}:b32, {a}:any, "
              "b-desc:b64, scale-d:pred",
              "d = a b + d by four warps, in integers", Fidelity::exact, Operation::product},
    OpcodeRow{"wgmma.mma_async.b1",
              "wgmma.mma_async.sync.aligned.$m64nNk256.s32.b1.b1.and.popc {d}:b32, {a}:any, b-desc:b64, scale-d:pred",
              "d = d + the number of bits that are set in (a and b), by four warps", Fidelity::exact,
              Operation::product},
    OpcodeRow{"wgmma.mma_async.sp.f16",
              "wgmma.mma_async.sp.sync.aligned.$m64nNk32.(f32|f16).f16.f16" ASSAY_SPARSE_OPERANDS
              ", imm-scale-a:s32, imm-scale-b:s32, imm-trans-a:s32{, imm-trans-b:s32}",
              "d = a b + d by four warps; a holds two of every four elements of a row, and e which ones",
              Fidelity::approximate, Operation::product},
    OpcodeRow{"wgmma.mma_async.sp.bf16",
              "wgmma.mma_async.sp.sync.aligned.$m64nNk32.f32.bf16.bf16" ASSAY_SPARSE_OPERANDS
              ", imm-scale-a:s32, imm-scale-b:s32, imm-trans-a:s32{, imm-trans-b:s32}",
              "the same in bf16", Fidelity::approximate, Operation::product},
    OpcodeRow{"wgmma.mma_async.sp.tf32",
              "wgmma.mma_async.sp.sync.aligned.$m64nNk16.f32.tf32.tf32" ASSAY_SPARSE_OPERANDS
              ", imm-scale-a:s32, imm-scale-b:s32",
              "the same in tf32, one of every two elements", Fidelity::approximate, Operation::product},
    OpcodeRow{"wgmma.mma_async.sp.fp8",
              "wgmma.mma_async.sp.sync.aligned.$m64nNk64.(f32|f16).(e4m3|e5m2).(e4m3|e5m2)" ASSAY_SPARSE_OPERANDS
              ", imm-scale-a:s32, imm-scale-b:s32",
              "the same in 8-bit floats", Fidelity::approximate, Operation::product},
    OpcodeRow{"wgmma.mma_async.sp.int8",
              "wgmma.mma_async.sp.sync.aligned.$m64nNk64_int{.satfinite}.s32.(u8|s8).(u8|s8)" ASSAY_SPARSE_OPERANDS,
              "the same in integers", Fidelity::exact, Operation::product},
};

#undef ASSAY_SPARSE_OPERANDS

}  // namespace

std::span<const OpcodeRow> warpgroup_rows() {
  return kWarpgroupRows;
}

}  // namespace assay::ptx
