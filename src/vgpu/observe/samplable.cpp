// SPDX-License-Identifier: MIT
#include "vgpu/observe/samplable.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "ptx/opcode_table.hpp"
#include "vgpu/observe/opcode_word.hpp"

namespace assay::vgpu {
namespace {

// Some instruction takes the register.
bool is_used(const Function& function, uint32_t row) {
  for (size_t at = 0; at < function.code.size(); ++at) {
    const Instruction& instruction = function.code[at];
    if (instruction.guard == row) return true;
    for (uint16_t i = function.origins[at].written; i < instruction.row_count; ++i) {
      if (instruction.rows[i] == row) return true;
    }
  }
  return false;
}

bool depends_on_others(const Program& program, const Function& function, size_t at) {
  const InstructionOrigin& origin = function.origins[at];
  if (origin.table_row == kNoTableRow) return false;
  const std::string& opcode = program.opcodes[static_cast<size_t>(origin.opcode)];
  if (has_word(opcode, "shared") || opcode.find("shared::") != std::string::npos) return false;
  const ptx::Operation operation = ptx::row_operation(origin.table_row);
  if (operation == ptx::Operation::atomic) return origin.written > 0 && is_used(function, function.code[at].rows[0]);
  const bool load = operation == ptx::Operation::load && ptx::row_family(origin.table_row) == "memory";
  return load && (has_word(opcode, "volatile") || has_word(opcode, "relaxed") || has_word(opcode, "acquire"));
}

}  // namespace

bool is_samplable(const Program& program) {
  for (const Function& function : program.functions) {
    for (size_t at = 0; at < function.code.size(); ++at) {
      if (depends_on_others(program, function, at)) return false;
    }
  }
  return true;
}

}  // namespace assay::vgpu
