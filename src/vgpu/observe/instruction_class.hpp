// SPDX-License-Identifier: MIT
// What an instruction is, for those who count: its family, what it does to memory, the size of its matrix product.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

enum class MemoryOperation : uint8_t {
  none,
  load,
  store,
  atomic,
  reduction,  // an atomic without a result
  copy,       // from global to shared memory
  bulk_load,  // the same by TMA: no thread asks for sectors or banks
  bulk_store,
  matrix_load,
  matrix_store,
};

struct InstructionClass {
  std::string_view family;  // of the opcode table
  MemoryOperation memory = MemoryOperation::none;
  bool branch = false;
  bool barrier = false;        // of the block
  uint64_t multiply_adds = 0;  // that one warp's execution stands for
  std::string tensor_shape;    // "m16n8k16.f32.f16.f16.f32"
};

InstructionClass classify(const Program& program, const InstructionOrigin& origin);

}  // namespace assay::vgpu
