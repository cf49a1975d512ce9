// SPDX-License-Identifier: MIT
#include "vgpu/observe/instruction_class.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "ptx/opcode_table.hpp"
#include "ptx/type.hpp"

namespace assay::vgpu {
namespace {

struct TableRow {
  std::string_view family;
  std::string_view name;
};

const TableRow& table_row(int index) {
  static const std::vector<TableRow> kRows = [] {
    std::vector<TableRow> rows;
    for (const ptx::OpcodeFamily& family : ptx::opcode_families()) {
      for (const ptx::OpcodeRow& row : family.rows) rows.push_back({family.name, row.name});
    }
    return rows;
  }();
  static const TableRow kNone{"", ""};
  return index >= 0 && static_cast<size_t>(index) < kRows.size() ? kRows[static_cast<size_t>(index)] : kNone;
}

MemoryOperation memory_operation(const TableRow& row) {
  if (row.name == "ldmatrix") return MemoryOperation::matrix_load;
  if (row.name == "stmatrix") return MemoryOperation::matrix_store;
  if (row.name == "cp.async") return MemoryOperation::copy;
  if (row.name.starts_with("cp.async.bulk.load") || row.name.starts_with("cp.async.bulk.tensor.load"))
    return MemoryOperation::bulk_load;
  if (row.name == "cp.async.bulk.store" || row.name == "cp.async.bulk.tensor.store") return MemoryOperation::bulk_store;
  if (row.name.starts_with("prefetch") || row.name == "createpolicy") return MemoryOperation::none;
  if (row.family == "memory") return row.name.starts_with("ld") ? MemoryOperation::load : MemoryOperation::store;
  if (row.family == "atomic") return row.name.starts_with("red") ? MemoryOperation::reduction : MemoryOperation::atomic;
  return MemoryOperation::none;
}

// "m16n8k16" -> 16, 8, 16.
std::optional<std::array<uint64_t, 3>> matrix_shape(std::string_view modifier) {
  std::array<uint64_t, 3> sizes{};
  constexpr std::string_view kLetters = "mnk";
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (modifier.empty() || modifier.front() != kLetters[i]) return std::nullopt;
    modifier.remove_prefix(1);
    const auto [end, problem] = std::from_chars(modifier.data(), modifier.data() + modifier.size(), sizes[i]);
    if (problem != std::errc()) return std::nullopt;
    modifier.remove_prefix(static_cast<size_t>(end - modifier.data()));
  }
  return modifier.empty() ? std::optional(sizes) : std::nullopt;
}

// The size of the product, and its name: the shape and the types of d, a, b and c.
void read_product(std::string_view opcode, InstructionClass& kind) {
  for (const std::string_view modifier : split(opcode, '.')) {
    if (const auto shape = matrix_shape(modifier)) {
      // A warp group's instruction is executed by its four warps: each stands for a quarter of it.
      const uint64_t warps = opcode.starts_with("wgmma") ? 4 : 1;
      kind.multiply_adds = (*shape)[0] * (*shape)[1] * (*shape)[2] / warps;
      kind.tensor_shape = modifier;
    } else if (!kind.tensor_shape.empty() && ptx::type_named(modifier)) {
      kind.tensor_shape += '.';
      kind.tensor_shape += modifier;
    }
  }
}

}  // namespace

InstructionClass classify(const Program& program, const InstructionOrigin& origin) {
  const TableRow& row = table_row(origin.table_row);
  InstructionClass kind;
  kind.family = row.family;
  kind.memory = memory_operation(row);
  kind.branch = row.name == "bra" || row.name == "brx.idx";
  kind.barrier = row.family == "barrier" && row.name.starts_with("bar") && row.name != "bar.warp.sync";
  if (row.name.starts_with("mma.") || row.name.starts_with("wgmma.mma_async"))
    read_product(program.opcodes[static_cast<size_t>(origin.opcode)], kind);
  return kind;
}

}  // namespace assay::vgpu
