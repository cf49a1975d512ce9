// SPDX-License-Identifier: MIT
// Rows of the opcode table: clusters of blocks and their shared memory.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kClusterRows = {
    OpcodeRow{"mapa", "mapa{.shared::cluster}.(u32|u64) d, a, b:u32",
              "d = the address in block b of the cluster that corresponds to a in this block"},
    OpcodeRow{"getctarank", "getctarank{.shared::cluster}.(u32|u64) d:u32, a",
              "d = the rank of the block that a lies in"},
    OpcodeRow{"barrier.cluster.arrive", "barrier.cluster.arrive{.(release|relaxed)}{.aligned}",
              "arrives at the barrier of the cluster without waiting"},
    OpcodeRow{"barrier.cluster.wait", "barrier.cluster.wait{.acquire}{.aligned}",
              "waits until all threads of the cluster have arrived"},
    OpcodeRow{
        "st.async",
        "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.(v2|v4)}"
        ".(b32|b64|u32|u64|s32|s64|f32|f64) [a], {b}, [m]",
        "shared memory of a block of the cluster at a = b; the mbarrier at m, in the same block, counts the bytes"},
    OpcodeRow{"red.async",
              "red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.$reduce"
              ".(u32|s32|b32|u64|s64) [a], b, [m]",
              "the same, but b is combined with what is there"},
};

}  // namespace

std::span<const OpcodeRow> cluster_rows() {
  return kClusterRows;
}

}  // namespace assay::ptx
