// SPDX-License-Identifier: MIT
#include "vgpu/observe/instruction_class.hpp"

#include "base/text.hpp"
#include "ptx/matrix_shape.hpp"
#include "ptx/opcode_table.hpp"
#include "ptx/type.hpp"

namespace assay::vgpu {
namespace {

struct TableRow {
  std::string_view family;
  std::string_view name;
};

MemoryOperation memory_operation(const TableRow& row) {
  if (row.name == "ldmatrix") return MemoryOperation::matrix_load;
  if (row.name == "stmatrix") return MemoryOperation::matrix_store;
  if (row.name == "cp.async") return MemoryOperation::copy;
  if (row.name.starts_with("cp.async.bulk.load") || row.name.starts_with("cp.async.bulk.tensor.load"))
    return MemoryOperation::bulk_load;
  if (row.name == "cp.async.bulk.store" || row.name == "cp.async.bulk.tensor.store" ||
      row.name.starts_with("cp.reduce.async.bulk"))
    return MemoryOperation::bulk_store;
  if (row.name.starts_with("prefetch") || row.name == "createpolicy" || row.name == "discard")
    return MemoryOperation::none;
  // Their fragments are loaded and stored by plain accesses of the lanes.
  if (row.name.starts_with("wmma.load")) return MemoryOperation::load;
  if (row.name.starts_with("wmma.store")) return MemoryOperation::store;
  if (row.family == "memory") return row.name.starts_with("ld") ? MemoryOperation::load : MemoryOperation::store;
  if (row.family == "atomic") return row.name.starts_with("red") ? MemoryOperation::reduction : MemoryOperation::atomic;
  return MemoryOperation::none;
}

// The size of the product, and its name: the shape and the types of d, a, b and c.
void read_product(std::string_view opcode, InstructionClass& kind) {
  for (const std::string_view modifier : split(opcode, '.')) {
    if (const auto shape = ptx::matrix_shape(modifier)) {
      // A warp group's instruction is executed by its four warps: each stands for a quarter of it.
      const uint64_t warps = opcode.starts_with("wgmma") ? 4 : 1;
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
  const TableRow row{ptx::row_family(origin.table_row), ptx::row_name(origin.table_row)};
  InstructionClass kind;
  kind.family = row.family;
  kind.memory = memory_operation(row);
  kind.branch = row.name == "bra" || row.name == "brx.idx";
  kind.barrier = row.family == "barrier" && row.name.starts_with("bar") && row.name != "bar.warp.sync";
  if (row.name.starts_with("mma.") || row.name.starts_with("wmma.mma") || row.name.starts_with("wgmma.mma_async"))
    read_product(program.opcodes[static_cast<size_t>(origin.opcode)], kind);
  return kind;
}

}  // namespace assay::vgpu
