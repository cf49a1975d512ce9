// SPDX-License-Identifier: MIT
// Rows of the opcode table: exchange between the lanes of a warp.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kWarpRows = {
    OpcodeRow{"activemask", "activemask.b32 d", "d = the lanes that execute this instruction together"},
    OpcodeRow{"shfl.sync", "shfl.sync.(idx|up|down|bfly).b32 d|p:pred, a, b:u32, c:u32, m:u32",
              "d = a of another lane; p = that lane is in range"},
    OpcodeRow{"vote.sync.pred", "vote.sync.(all|any|uni).pred d, a, m:u32",
              "d = a holds for all, any, or none or all lanes of m"},
    OpcodeRow{"vote.sync.ballot", "vote.sync.ballot.b32 d, a:pred, m:u32", "d = the lanes of m whose a holds"},
    OpcodeRow{"match.any", "match.any.sync.(b32|b64) d:u32, a, m:u32", "d = the lanes of m with the same a"},
    OpcodeRow{"match.all", "match.all.sync.(b32|b64) d:u32|p:pred, a, m:u32",
              "d = m if all its lanes have the same a, else 0; p says which"},
    OpcodeRow{"redux.int", "redux.sync.(add|min|max).(u32|s32) d, a, m:u32",
              "d = the sum, smallest or largest a of the lanes of m"},
    OpcodeRow{"redux.bits", "redux.sync.(and|or|xor).b32 d, a, m:u32",
              "d = the a of the lanes of m, joined bit by bit"},
    OpcodeRow{"elect.sync", "elect.sync d:b32|p:pred, m:u32", "p holds in one lane of m, whose number is d"},
};

}  // namespace

std::span<const OpcodeRow> warp_rows() {
  return kWarpRows;
}

}  // namespace assay::ptx
