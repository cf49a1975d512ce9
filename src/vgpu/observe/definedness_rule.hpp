// SPDX-License-Identifier: MIT
// How an instruction's results depend on its operands, as far as undefined bytes are concerned.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vgpu/machine/program.hpp"
#include "vgpu/semantics/shuffle.hpp"

namespace assay::vgpu {

enum class DefinednessRule : uint8_t {
  compute,     // every byte of the results depends on every byte of the lane's operands
  define,      // the results depend on no operand
  move,        // byte by byte
  pack,        // the operands side by side
  unpack,      // the operand in pieces
  select,      // one of two operands, by the third
  mask_and,    // byte by byte; a zero byte that is defined decides
  mask_or,     // byte by byte; a byte of ones that is defined decides
  rearrange,   // bits go elsewhere, nothing is computed
  shift_left,  // bytes go elsewhere, by a distance that is known
  shift_right,
  extend,        // conversion between integers: low bytes stay, the others are zeros or signs
  permute,       // prmt
  shuffle,       // from another lane
  across_lanes,  // every lane's result depends on every lane's operands
  load,          // the memory access tells
  load_matrix,
  store,
  atomic,
  product,         // mma.sync: row by row and column by column
  warp_product,    // every result depends on every operand: fragments whose layout is not public
  group_product,   // wgmma: likewise, and on its old value where it accumulates
  pass_parameter,  // ld.param and st.param of what functions pass to each other
  call,
  return_results,
};

struct DefinednessStep {
  DefinednessRule rule = DefinednessRule::compute;
  uint8_t memory_bytes = 0;  // of load, store and extend: of one element in memory, or of the source
  bool is_signed = false;    // its extension repeats the sign
  semantics::Shuffle shuffle = semantics::Shuffle::idx;
  bool picks_by_selector = false;  // of permute: no named mode
  uint8_t product_rows = 0;        // of product: m
  bool has_address = false;        // among its operands
};

DefinednessRule definedness_rule(std::string_view opcode_row);

// One step for each instruction of the function.
std::vector<DefinednessStep> definedness_steps(const Program& program, const Function& function);

}  // namespace assay::vgpu
