// SPDX-License-Identifier: MIT
// Rows of the opcode table: asynchronous copies.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kAsyncRows = {
    OpcodeRow{
        "cp.async", "cp.async.(ca|cg).(shared|shared::cta).global{.$hint}{.$prefetch} [d], [a], n:u32{, s:any}{, hint}",
        "shared memory at d = n bytes of global memory at a, of which s are read and the rest is zero; seen after a "
        "wait",
        Fidelity::exact, Operation::copy},
    OpcodeRow{"cp.async.commit_group", "cp.async.commit_group", "the copies issued so far form a group"},
    OpcodeRow{"cp.async.wait_group", "cp.async.wait_group n:u32", "waits until at most n groups are open"},
    OpcodeRow{"cp.async.wait_all", "cp.async.wait_all", "waits for all copies"},
};

}  // namespace

std::span<const OpcodeRow> async_rows() {
  return kAsyncRows;
}

}  // namespace assay::ptx
