// SPDX-License-Identifier: MIT
#include "vgpu/observe/instruction_class.hpp"

#include "base/text.hpp"
#include "ptx/matrix_shape.hpp"
#include "ptx/opcode_table.hpp"
#include "ptx/type.hpp"

namespace assay::vgpu {
namespace {

// The size of the product, and its name: the shape and the types of d, a, b and c.
void read_product(std::string_view opcode, InstructionClass& kind) {
  for (const std::string_view modifier : split(opcode, '.')) {
    if (const auto shape = ptx::matrix_shape(modifier)) {
      // A warp group's instruction is executed by its four warps: each stands for a quarter of it.
      const uint64_t warps = kind.family == "warpgroup" ? 4 : 1;
      kind.multiply_adds = shape->m * shape->n * shape->k / warps;
      kind.tensor_shape = modifier;
    } else if (!kind.tensor_shape.empty() && ptx::type_named(modifier)) {
      kind.tensor_shape += '.';
      kind.tensor_shape += modifier;
    }
  }
}

}  // namespace

InstructionClass classify(const Program& program, const InstructionOrigin& origin) {
  InstructionClass kind;
  kind.family = ptx::row_family(origin.table_row);
  kind.operation = ptx::row_operation(origin.table_row);
  if (kind.operation == ptx::Operation::product)
    read_product(program.opcodes[static_cast<size_t>(origin.opcode)], kind);
  return kind;
}

}  // namespace assay::vgpu
