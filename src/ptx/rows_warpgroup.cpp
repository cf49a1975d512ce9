// SPDX-License-Identifier: MIT
// Rows of the opcode table: matrix instructions of a warp group (Hopper).
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

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
};

}  // namespace

std::span<const OpcodeRow> warpgroup_rows() {
  return kWarpgroupRows;
}

}  // namespace assay::ptx
