// SPDX-License-Identifier: MIT
// The opcode table: one row per syntax line of the instruction set, written as the manual writes it.
// The decoder, the coverage page and the list of untested rows all derive from these rows.
//
// A row's syntax is   opcode.modifiers  operands
//   .x            the modifier must be there
//   .(x|y|z)      one of them must be there
//   {.x}          may be there;  {.(x|y)} likewise
//   $class        stands for a list of modifiers (see kClasses in opcode_pattern.cpp): .$rnd, {.$level}
// Modifiers may come in any order in the text, as compilers differ; only alternatives of types keep their order.
//   d, a, b       registers (a, b: or immediates) of the type that the first type modifier names
//   d:TYPE        a type of its own: a fixed one (:u32), the n-th type modifier (:t0, :t1), twice as wide (:wide),
//                 any register at least as wide as the type (:t0+), or one of the given widths (:any)
//   d|p:pred      a pair whose second part may be absent in the text
//   [a]           an address;  [a{c}]  a tensor map's, with coordinates;  {d}, {a}  a vector (or a single register
//   where the vector has one element)
//   {, c:u32}     may be absent (only at the end);  {, hint}  a cache policy, there exactly with .L2::cache_hint
//   *             operands of a form of their own, read by the binder (call)
#pragma once

#include <span>
#include <string_view>

namespace assay::ptx {

enum class Fidelity {
  exact,        // bit for bit what the hardware gives
  approximate,  // within the bounds that the manual states; the hardware's own tables are not public
  functional,   // no effect on values (hints, fences), or one that only timing could show
};

// What an instruction counts as.
enum class Operation {
  other,
  load,
  store,
  atomic,
  reduction,  // an atomic without a result
  copy,       // from global to shared memory
  bulk_load,  // the same by TMA: no thread asks for sectors or banks
  bulk_store,
  matrix_load,
  matrix_store,
  product,  // of matrices, on tensor cores
  branch,
  block_barrier,
};
// The lanes name addresses, and what they touch is counted. (A product reads shared memory by descriptors.)
constexpr bool is_access(Operation operation) {
  return operation >= Operation::load && operation <= Operation::matrix_store;
}

struct OpcodeRow {
  std::string_view name;    // stable key: "add.int"
  std::string_view syntax;  // as described above
  std::string_view meaning;
  Fidelity fidelity = Fidelity::exact;
  Operation operation = Operation::other;
};

// All rows of all families. Each family has a file of rows: rows_integer.cpp, rows_float.cpp, ...
struct OpcodeFamily {
  std::string_view name;  // also the folder of its tests: tests/ptx/<name>/
  std::span<const OpcodeRow> rows;
};
std::span<const OpcodeFamily> opcode_families();

// Rows by their number: counted through all families in order. "" and `other` for numbers of none.
std::string_view row_name(int number);
std::string_view row_family(int number);
Operation row_operation(int number);

}  // namespace assay::ptx
