// SPDX-License-Identifier: MIT
// What an instruction is, for those who count: its family and operation, the size of its matrix product.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/opcode_table.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

struct InstructionClass {
  std::string_view family;  // of the opcode table
  ptx::Operation operation = ptx::Operation::other;
  uint64_t multiply_adds = 0;  // that one warp's execution stands for
  std::string tensor_shape;    // "m16n8k16.f32.f16.f16.f32"
};

InstructionClass classify(const Program& program, const InstructionOrigin& origin);

}  // namespace assay::vgpu
