// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "invert/editor.hpp"
#include "invert/families.hpp"
#include "invert/operands.hpp"
#include "invert/steering.hpp"
#include "ptx/printer.hpp"

namespace assay::invert {
namespace {

bool is_matrix_load(const ptx::Instruction& instruction) {
  return instruction.opcode == "ldmatrix";
}
bool is_shared_access(const ptx::Instruction& instruction) {
  return is_load(instruction, "shared") || is_store(instruction, "shared") || is_matrix_load(instruction) ||
         instruction.opcode == "stmatrix";
}
size_t shared_address_place(const ptx::Instruction& instruction) {
  return instruction.opcode == "st" || instruction.opcode == "stmatrix" ? 0 : 1;
}
ptx::Operand address_at(const std::string& name) {
  ptx::AddressOperand address;
  address.base.push_back({ptx::Identifier{name}});
  return {address};
}

// The address, its offset included, as a number of 32 bits in a register of our own.
std::string address_in_32_bits(KernelText& text, const ptx::Operand& operand, const std::string& into) {
  const auto* address = std::get_if<ptx::AddressOperand>(&operand.value);
  const std::string base = ptx::print(address->base.front());
  const std::string from = address_register(operand);
  if (from.empty() && std::get_if<ptx::Identifier>(&address->base.front().value) == nullptr)
    return fmt::format("mov.b32 {}, {};\n", into, static_cast<int64_t>(address->offset));
  if (!from.empty() && text.width_of(from) == 64)
    return fmt::format("cvt.u32.u64 {0}, {1};\nadd.s32 {0}, {0}, {2};\n", into, base, address->offset);
  if (!from.empty()) return fmt::format("add.s32 {}, {}, {};\n", into, base, address->offset);
  return fmt::format("mov.u32 {}, {};\nadd.s32 {}, {}, {};\n", into, base, into, into, address->offset);
}

constexpr const char* kSteeringReads =
    "branches, barriers or copies depend on what the kernel reads from shared memory by loads";

// Accesses that may go elsewhere: what steers the warps must arrive where it is looked for.
bool may_move(const Steering& steering, const ptx::Instruction& access) {
  return is_shared_access(access) && !steering.steers(access) && !steering.may_carry(access);
}

uint32_t shared_bytes(const Facts& facts) {
  return static_cast<uint32_t>(facts.static_shared_bytes) + facts.dynamic_shared_bytes;
}

}  // namespace

Outcome more_shared_reads(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  editor.change([&](const ptx::Instruction& instruction, const Line&, int number) -> std::optional<Edit> {
    Edit edit;
    if (is_matrix_load(instruction)) {
      std::vector<std::string> results;
      add_names(instruction.operands.at(0), results);
      ptx::Instruction again = instruction;
      for (size_t i = 0; i < results.size(); ++i) rename(again, results[i], scratch(text, 32, static_cast<int>(i)));
      for (int i = 0; i < dose; ++i)
        edit.after +=
            ptx::print(again) + "\n" + fmt::format("xor.b32 {0}, {0}, {1};\n", dummy(number + i), scratch(text, 32, 0));
      return edit;
    }
    if (!is_load(instruction, "shared")) return std::nullopt;
    const std::string type = type_modifier(instruction);
    const int count = vector_length(instruction);
    const std::string results = scratch_results(text, type, count);
    if (results.empty()) return std::nullopt;
    const std::string vector = count == 1 ? "" : fmt::format(".v{}", count);
    for (int i = 0; i < dose; ++i)
      edit.before += fmt::format("{}ld.volatile.shared{}.{} {}, {};\n", guard_text(instruction), vector, type, results,
                                 operand_text(instruction, 1)) +
                     use_result(text, type, number + i);
    return edit;
  });
  return editor.finish("the kernel reads no shared memory by loads");
}

Outcome more_shared_writes(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    Edit edit;
    std::string again;
    if (instruction.opcode == "stmatrix") {
      again = ptx::print(instruction) + "\n";
    } else if (is_store(instruction, "shared")) {
      const int count = vector_length(instruction);
      again = fmt::format("{}st.volatile.shared{}.{} {}, {};\n", guard_text(instruction),
                          count == 1 ? "" : fmt::format(".v{}", count), type_modifier(instruction),
                          operand_text(instruction, 0), operand_text(instruction, 1));
    } else {
      return std::nullopt;
    }
    for (int i = 0; i < dose; ++i) edit.after += again;
    return edit;
  });
  return editor.finish("the kernel writes no shared memory by stores");
}

// Bits of the bank and of the row change places, in all accesses alike: 2, 4, 8 and 16 lanes meet in one bank where
// none met before. Which bits do is in constant memory, so that dose 0, the control, has the same instructions.
Outcome more_bank_conflicts(const KernelText& prepared, const Facts& facts, int dose) {
  const int bits = std::countr_zero(static_cast<unsigned>(dose)) + 1;
  const Steering steering(prepared.lines);
  int widest = 4;
  for (const Line& line : prepared.lines) {
    if (line.instruction() == nullptr || is_prepared_line(line) || !may_move(steering, *line.instruction())) continue;
    const bool matrix = is_matrix_load(*line.instruction()) || line.instruction()->opcode == "stmatrix";
    widest = std::max(widest, matrix ? 16 : access_bytes(*line.instruction()));
  }
  const int low = std::countr_zero(static_cast<unsigned>(widest));  // bits below stay: an access stays aligned
  const uint32_t region = 1U << (7 + bits);
  if (7 - low < bits) return fmt::format("accesses of {} bytes leave no bits of the bank to move", widest);
  if (shared_bytes(facts) < region || shared_bytes(facts) % region != 0)
    return fmt::format("{} bytes of shared memory are no multiple of {}", shared_bytes(facts), region);
  const auto make = [&](uint32_t mask) {
    Editor editor(prepared);
    KernelText& text = editor.text();
    text.declare_variable(fmt::format("const .align 4 .b32 assay_banks[2] = {{{}, {}}}", mask, 7 - low));
    for (const char* name : {"%assay_bank", "%assay_shift", "%assay_s0", "%assay_s1"}) text.declare("b32", name);
    editor.begin_with("ld.const.b32 %assay_bank, [assay_banks];\nld.const.b32 %assay_shift, [assay_banks+4];");
    editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
      if (!may_move(steering, instruction)) return std::nullopt;
      const size_t place = shared_address_place(instruction);
      // a ^ a >> shift, where the mask has a bit: what both places then hold of the other's bits.
      Edit edit;
      edit.before = address_in_32_bits(text, instruction.operands[place], "%assay_s0");
      edit.before +=
          "shr.b32 %assay_s1, %assay_s0, %assay_shift;\n"
          "lop3.b32 %assay_s1, %assay_s1, %assay_s0, %assay_bank, 0x28;\n"
          "xor.b32 %assay_s0, %assay_s0, %assay_s1;\n"
          "shl.b32 %assay_s1, %assay_s1, %assay_shift;\n"
          "xor.b32 %assay_s0, %assay_s0, %assay_s1;\n";
      ptx::Instruction moved = instruction;
      moved.operands[place] = address_at("%assay_s0");
      edit.before += ptx::print(moved) + "\n";
      edit.removed = true;
      return edit;
    });
    return std::move(editor.mutant());
  };
  const uint32_t mask = ((1U << bits) - 1) << low;
  Mutant mutant = make(mask);
  if (mutant.sites.empty()) return "the kernel has no accesses to shared memory that could go elsewhere";
  mutant.control = make(0).text;
  return mutant;
}

// From the same place of a buffer in global memory, which all blocks share: at least the way to the L1.
Outcome not_staged(const KernelText& prepared, const Facts& facts, int) {
  const uint32_t bytes = std::bit_ceil(std::max(shared_bytes(facts), 256U));
  const Steering steering(prepared.lines);
  bool steers = false;
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("b64", "%assay_stage");
  text.declare("b64", "%assay_t");
  text.declare("b32", "%assay_s0");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_load(instruction, "shared") || bits_of(type_modifier(instruction)) > 64) return std::nullopt;
    if (steering.steers(instruction)) {
      steers = true;
      return std::nullopt;
    }
    const int count = vector_length(instruction);
    Edit edit;
    edit.removed = true;
    edit.before = address_in_32_bits(text, instruction.operands[1], "%assay_s0");
    edit.before += fmt::format("and.b32 %assay_s0, %assay_s0, {};\ncvt.u64.u32 %assay_t, %assay_s0;\n", bytes - 1);
    edit.before += "add.s64 %assay_t, %assay_stage, %assay_t;\n";
    edit.before += fmt::format("{}ld.global{}.{} {}, [%assay_t];\n", guard_text(instruction),
                               count == 1 ? "" : fmt::format(".v{}", count), type_modifier(instruction),
                               operand_text(instruction, 0));
    return edit;
  });
  if (editor.mutant().sites.empty()) return steers ? kSteeringReads : "the kernel reads no shared memory by ld.shared";
  text.declare_variable(fmt::format("global .align 256 .b8 assay_staged[{}]", bytes + 256));
  editor.begin_with("mov.u64 %assay_stage, assay_staged;");
  return editor.finish("");
}

// Results that ptxas cannot know, made of the address, so that what makes the address stays.
Outcome no_shared_reads(const KernelText& prepared, const Facts&, int) {
  const Steering steering(prepared.lines);
  bool steers = false;
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("b32", "%assay_s0");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_load(instruction, "shared") && !is_matrix_load(instruction)) return std::nullopt;
    if (steering.steers(instruction)) {
      steers = true;
      return std::nullopt;
    }
    Edit edit;
    edit.removed = true;
    edit.before = address_in_32_bits(text, instruction.operands[1], "%assay_s0");
    edit.before += fmt::format("and.b32 %assay_s0, %assay_s0, {};\n", kUnknown);
    const auto moves = results_from(text, instruction, "%assay_s0");
    if (!moves) return std::nullopt;
    edit.before += *moves;
    return edit;
  });
  return editor.finish(steers ? kSteeringReads : "the kernel reads no shared memory by loads");
}

// Every lane at its own words in a row, wherever it wanted to go.
Outcome no_bank_conflicts(const KernelText& prepared, const Facts& facts, int) {
  const Steering steering(prepared.lines);
  Editor editor(prepared);
  KernelText& text = editor.text();
  for (const char* name : {"%assay_s0", "%assay_lane", "%assay_row"}) text.declare("b32", name);
  const auto [variable, size] = text.shared_variable();
  if (variable.empty()) return "the kernel does not use shared memory";
  const uint32_t available = size < 0 ? facts.dynamic_shared_bytes : static_cast<uint32_t>(size);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!may_move(steering, instruction)) return std::nullopt;
    const bool matrix = is_matrix_load(instruction) || instruction.opcode == "stmatrix";
    const uint32_t bytes = matrix ? 16 : static_cast<uint32_t>(access_bytes(instruction));
    if (bytes == 0 || bytes * 32 > available) return std::nullopt;
    const size_t place = shared_address_place(instruction);
    Edit edit;
    edit.removed = true;
    edit.before = address_in_32_bits(text, instruction.operands[place], "%assay_s0");
    edit.before += fmt::format("and.b32 %assay_s0, %assay_s0, {};\n", kUnknown);
    edit.before += fmt::format(
        "mad.lo.u32 %assay_s0, %assay_lane, {}, %assay_s0;\nadd.s32 %assay_s0, %assay_s0, "
        "%assay_row;\n",
        bytes);
    ptx::Instruction moved = instruction;
    moved.operands[place] = address_at("%assay_s0");
    edit.before += ptx::print(moved) + "\n";
    return edit;
  });
  editor.begin_with(fmt::format("mov.u32 %assay_lane, %laneid;\nmov.u32 %assay_row, {};", variable));
  return editor.finish("the kernel does not use shared memory, or has too little of it");
}

}  // namespace assay::invert
