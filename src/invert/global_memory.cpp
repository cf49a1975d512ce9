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

constexpr uint64_t kSlack = 4096;  // behind the buffer, for offsets of addresses

std::string vector_text(const ptx::Instruction& instruction) {
  const int count = vector_length(instruction);
  return count == 1 ? "" : fmt::format(".v{}", count);
}

bool is_global_load(const ptx::Instruction& instruction) {
  const int bits = bits_of(type_modifier(instruction));
  return is_load(instruction, "global") && bits > 0 && bits <= 64 && !has(instruction, "volatile");
}

bool is_atomic(const ptx::Instruction& instruction) {
  return instruction.opcode == "red" || instruction.opcode == "atom";
}
size_t address_place(const ptx::Instruction& instruction) {
  return instruction.opcode == "st" || instruction.opcode == "red" ? 0 : 1;
}

// A buffer beside those of the kernel: as large as `bytes`, rounded up to a power of two.
uint64_t twin_bytes(uint64_t bytes) {
  constexpr uint64_t kLeast = uint64_t{1} << 20;
  constexpr uint64_t kMost = uint64_t{1} << 29;
  return std::bit_ceil(std::clamp(bytes, kLeast, kMost));
}
void declare_twin(Editor& editor, uint64_t bytes) {
  KernelText& text = editor.text();
  text.declare("b64", "%assay_twin");
  text.declare("b64", "%assay_t");
  text.declare_variable(fmt::format("global .align 256 .b8 assay_twin[{}]", bytes + kSlack));
  editor.begin_with("mov.u64 %assay_twin, assay_twin;");
}

// The address, its offset included, in %assay_t.
std::string address_text(const ptx::Operand& operand) {
  const auto* address = std::get_if<ptx::AddressOperand>(&operand.value);
  const std::string base = ptx::print(address->base.front());
  const bool number = address_register(operand).empty();
  std::string text = number ? fmt::format("mov.u64 %assay_t, {};\n", base) : "";
  text += fmt::format("add.s64 %assay_t, {}, {};\n", number ? "%assay_t" : base, address->offset);
  return text;
}

}  // namespace

Outcome more_l2_reads(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  editor.change([&](const ptx::Instruction& instruction, const Line&, int number) -> std::optional<Edit> {
    if (!is_global_load(instruction)) return std::nullopt;
    const std::string results = scratch_results(text, type_modifier(instruction), vector_length(instruction));
    Edit edit;
    for (int i = 0; i < dose; ++i)
      edit.after +=
          fmt::format("{}ld.volatile.global{}.{} {}, {};\n", guard_text(instruction), vector_text(instruction),
                      type_modifier(instruction), results, operand_text(instruction, 1)) +
          use_result(text, type_modifier(instruction), number + i);
    // Before, where the load overwrites its own address.
    std::vector<std::string> written;
    add_names(instruction.operands[0], written);
    if (std::ranges::find(written, address_register(instruction.operands[1])) != written.end())
      std::swap(edit.before, edit.after);
    return edit;
  });
  return editor.finish("the kernel has no loads of global memory");
}

// Each dose reads at another place of a buffer that is as large as the largest tensor.
Outcome more_dram_reads(const KernelText& prepared, const Facts& facts, int dose) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  const uint64_t bytes = twin_bytes(facts.largest_buffer);
  text.declare("b64", "%assay_t");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int number) -> std::optional<Edit> {
    if (!is_global_load(instruction)) return std::nullopt;
    const std::string results = scratch_results(text, type_modifier(instruction), vector_length(instruction));
    Edit edit;
    for (int i = 0; i < dose; ++i) {
      const uint64_t elsewhere = bytes / 8 * static_cast<uint64_t>(i);
      edit.before += address_text(instruction.operands[1]);
      edit.before +=
          fmt::format("add.s64 %assay_t, %assay_t, {};\nand.b64 %assay_t, %assay_t, {};\n", elsewhere, bytes - 1);
      edit.before += "add.s64 %assay_t, %assay_t, %assay_twin;\n";
      edit.before += fmt::format("{}ld.volatile.global{}.{} {}, [%assay_t];\n", guard_text(instruction),
                                 vector_text(instruction), type_modifier(instruction), results);
      edit.before += use_result(text, type_modifier(instruction), number + i);
    }
    return edit;
  });
  if (editor.mutant().sites.empty()) return "the kernel has no loads of global memory";
  declare_twin(editor, bytes);
  return editor.finish("");
}

Outcome more_writes(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_store(instruction, "global")) return std::nullopt;
    Edit edit;
    for (int i = 0; i < dose; ++i)
      edit.after +=
          fmt::format("{}st.volatile.global{}.{} {}, {};\n", guard_text(instruction), vector_text(instruction),
                      type_modifier(instruction), operand_text(instruction, 0), operand_text(instruction, 1));
    return edit;
  });
  return editor.finish("the kernel has no stores to global memory");
}

// Dose 1: two accesses of half the width each; dose 2: four of a quarter.
Outcome narrow_accesses(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    const int count = vector_length(instruction);
    const bool load = is_load(instruction, "global");
    if (!load && !is_store(instruction, "global")) return std::nullopt;
    const int pieces = dose == 1 ? 2 : 4;
    if (count < pieces) return std::nullopt;
    const size_t address = load ? 1 : 0;
    const auto* vector = std::get_if<ptx::VectorOperand>(&instruction.operands[1 - address].value);
    const int bytes = bits_of(type_modifier(instruction)) / 8;
    if (vector == nullptr || bytes == 0) return std::nullopt;
    // A piece must not overwrite the address of the next one.
    const std::string base = address_register(instruction.operands[address]);
    std::vector<std::string> written;
    if (load) add_names(instruction.operands[0], written);
    if (std::ranges::find(written, base) != written.end()) return std::nullopt;
    Edit edit;
    edit.removed = true;
    const int each = count / pieces;
    for (int piece = 0; piece < pieces; ++piece) {
      ptx::Instruction part = instruction;
      std::erase_if(part.modifiers,
                    [](const std::string& word) { return word == "v2" || word == "v4" || word == "v8"; });
      const auto first = vector->elements.begin() + static_cast<std::ptrdiff_t>(piece) * each;
      if (each == 1) {
        part.operands[1 - address] = *first;
      } else {
        part.modifiers.insert(part.modifiers.end() - 1, fmt::format("v{}", each));
        part.operands[1 - address] = {ptx::VectorOperand{{first, first + each}}};
      }
      std::get<ptx::AddressOperand>(part.operands[address].value).offset += int64_t{piece} * each * bytes;
      edit.before += ptx::print(part) + "\n";
    }
    return edit;
  });
  return editor.finish("the kernel has no vector accesses to global memory that are wide enough");
}

// Atomics whose result somebody wants stay where they are: it may be an index.
Outcome contended_atomics(const KernelText& prepared, const Facts&, int) {
  std::set<std::string> read;
  for (const Line& line : prepared.lines) {
    if (line.instruction() == nullptr) continue;
    const Registers registers = registers_of(*line.instruction());
    read.insert(registers.reads.begin(), registers.reads.end());
  }
  bool shared = false;
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_atomic(instruction) || vector_length(instruction) != 1) return std::nullopt;
    std::vector<std::string> results;
    if (instruction.opcode == "atom") add_names(instruction.operands[0], results);
    if (std::ranges::any_of(results, [&](const std::string& name) { return read.contains(name); })) return std::nullopt;
    const bool in_shared = has(instruction, "shared") || has(instruction, "shared::cta");
    if (!in_shared && !has(instruction, "global")) return std::nullopt;
    shared = shared || in_shared;
    ptx::Instruction moved = instruction;
    ptx::AddressOperand address;
    address.base.push_back({ptx::Identifier{in_shared ? "assay_hot_shared" : "assay_hot"}});
    moved.operands[address_place(instruction)] = {address};
    Edit edit;
    edit.removed = true;
    // What makes the address stays.
    const std::string base = address_register(instruction.operands[address_place(instruction)]);
    if (!base.empty()) {
      const std::string low = editor.text().width_of(base) == 64 ? scratch(editor.text(), 32, 0) : base;
      if (low != base) edit.before += fmt::format("cvt.u32.u64 {}, {};\n", low, base);
      edit.before += fmt::format("xor.b32 {0}, {0}, {1};\n", dummy(0), low);
    }
    edit.before += ptx::print(moved) + "\n";
    return edit;
  });
  if (editor.mutant().sites.empty()) return "the kernel has no atomics whose result nobody wants";
  editor.text().declare_variable("global .align 16 .b8 assay_hot[16]");
  if (shared) editor.text().declare_variable("shared .align 16 .b8 assay_hot_shared[16]");
  return editor.finish("");
}

// Results that ptxas cannot know, made of the address, so that what makes the address stays.
Outcome no_global_reads(const KernelText& prepared, const Facts&, int) {
  const Steering steering(prepared.lines);
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("b32", "%assay_s0");
  text.declare("b64", "%assay_t");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_global_load(instruction) || steering.steers(instruction)) return std::nullopt;
    Edit edit;
    edit.removed = true;
    edit.before = address_text(instruction.operands[1]);
    edit.before += fmt::format("cvt.u32.u64 %assay_s0, %assay_t;\nand.b32 %assay_s0, %assay_s0, {};\n", kUnknown);
    const auto moves = results_from(text, instruction, "%assay_s0");
    if (!moves) return std::nullopt;
    edit.before += *moves;
    return edit;
  });
  return editor.finish("the kernel has no loads of global memory, or they steer its warps");
}

// Under a predicate that is false at run time, so that all they need is computed.
Outcome no_stores(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("pred", "%assay_both");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_store(instruction, "global") && instruction.opcode != "stmatrix") return std::nullopt;
    if (instruction.opcode == "stmatrix") return std::nullopt;
    ptx::Instruction guarded = instruction;
    Edit edit;
    edit.removed = true;
    if (instruction.guard) {
      const std::string& own = instruction.guard->predicate;
      edit.before =
          instruction.guard->negated
              ? fmt::format("not.pred %assay_both, {};\nand.pred %assay_both, %assay_both, {};\n", own, kNever)
              : fmt::format("and.pred %assay_both, {}, {};\n", own, kNever);
      guarded.guard = ptx::Guard{"%assay_both", false};
    } else {
      guarded.guard = ptx::Guard{kNever, false};
    }
    edit.before += ptx::print(guarded) + "\n";
    return edit;
  });
  return editor.finish("the kernel has no stores to global memory");
}

// A plain store to a word of the thread's own, in a row with those of its neighbours.
Outcome no_atomics(const KernelText& prepared, const Facts& facts, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  constexpr uint64_t kWord = 8;
  const uint64_t threads = facts.grid.volume() * facts.block.volume();
  const uint64_t bytes = twin_bytes(std::min<uint64_t>(threads * kWord, uint64_t{1} << 26));
  const auto [variable, size] = text.shared_variable();
  const int64_t room = size < 0 ? facts.dynamic_shared_bytes : size;
  for (const char* name : {"%assay_s0", "%assay_s1", "%assay_s2", "%assay_row"}) text.declare("b32", name);
  text.declare("b64", "%assay_own");
  bool in_global = false;
  bool in_shared = false;
  editor.change([&](const ptx::Instruction& instruction, const Line&, int number) -> std::optional<Edit> {
    if (!is_atomic(instruction) || vector_length(instruction) != 1) return std::nullopt;
    const bool shared = has(instruction, "shared") || has(instruction, "shared::cta");
    if (!shared && !has(instruction, "global")) return std::nullopt;
    const int bits = bits_of(type_modifier(instruction));
    const size_t at = address_place(instruction);
    if ((bits != 32 && bits != 64) || (shared && room < static_cast<int64_t>(kWord))) return std::nullopt;
    (shared ? in_shared : in_global) = true;
    Edit edit;
    edit.removed = true;
    // What makes the address stays.
    const std::string base = address_register(instruction.operands[at]);
    if (!base.empty()) {
      const std::string low = text.width_of(base) == 64 ? scratch(text, 32, 5) : base;
      if (low != base) edit.before += fmt::format("cvt.u32.u64 {}, {};\n", low, base);
      edit.before += fmt::format("xor.b32 {0}, {0}, {1};\n", dummy(number), low);
    }
    const std::string kept = scratch(text, bits, 6);
    edit.before += fmt::format("mov.b{} {}, {};\n", bits, kept, operand_text(instruction, at + 1));
    edit.before += fmt::format("{}st.{}.b{} [{}], {};\n", guard_text(instruction), shared ? "shared" : "global", bits,
                               shared ? "%assay_row" : "%assay_own", kept);
    if (instruction.opcode == "atom" && std::get_if<ptx::Sink>(&instruction.operands[0].value) == nullptr)
      edit.before +=
          fmt::format("{}mov.b{} {}, {};\n", guard_text(instruction), bits, operand_text(instruction, 0), kept);
    return edit;
  });
  if (editor.mutant().sites.empty()) return "the kernel has no atomics";
  if (in_global) {
    declare_twin(editor, bytes);
    editor.begin_with(
        fmt::format("mov.u32 %assay_s0, %ctaid.x;\nmov.u32 %assay_s1, %ntid.x;\nmov.u32 %assay_s2, %tid.x;\n"
                    "mad.lo.u32 %assay_s0, %assay_s0, %assay_s1, %assay_s2;\nmul.wide.u32 %assay_own, %assay_s0, {};\n"
                    "and.b64 %assay_own, %assay_own, {};\nadd.s64 %assay_own, %assay_own, %assay_twin;",
                    kWord, bytes - 1));
  }
  if (in_shared)
    editor.begin_with(
        fmt::format("mov.u32 %assay_row, {};\nmov.u32 %assay_s0, %laneid;\nshl.b32 %assay_s0, %assay_s0, 3;\n"
                    "and.b32 %assay_s0, %assay_s0, {};\nadd.u32 %assay_row, %assay_row, %assay_s0;",
                    variable, std::bit_floor(static_cast<uint64_t>(room)) - 1));
  return editor.finish("");
}

// What local memory holds at PTX level: arrays with run-time indices. What ptxas spills, ptxas alone can take back: the
// limit on registers goes.
Outcome no_local_memory(const KernelText& prepared, const Facts& facts, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("b32", "%assay_s0");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    const bool load = is_load(instruction, "local");
    if (!load && !is_store(instruction, "local")) return std::nullopt;
    if (instruction.guard) return std::nullopt;
    Edit edit;
    edit.removed = true;
    if (!load) {
      ptx::Instruction guarded = instruction;
      guarded.guard = ptx::Guard{kNever, false};
      edit.before = ptx::print(guarded) + "\n";
      return edit;
    }
    std::vector<std::string> results;
    add_names(instruction.operands[0], results);
    const std::string base = address_register(instruction.operands[1]);
    if (base.empty()) {
      edit.before = fmt::format("mov.b32 %assay_s0, {};\n", kUnknown);
    } else if (text.width_of(base) == 64) {
      edit.before = fmt::format("cvt.u32.u64 %assay_s0, {};\nand.b32 %assay_s0, %assay_s0, {};\n", base, kUnknown);
    } else {
      edit.before = fmt::format("and.b32 %assay_s0, {}, {};\n", base, kUnknown);
    }
    for (const std::string& result : results) {
      const int width = text.width_of(result);
      if (width != 32 && width != 64) return std::nullopt;
      edit.before += width == 32 ? fmt::format("mov.b32 {}, %assay_s0;\n", result)
                                 : fmt::format("mov.b64 {}, {{%assay_s0, %assay_s0}};\n", result);
    }
    return edit;
  });
  if (facts.spill_bytes.value_or(0) > 0) {
    std::erase_if(text.attributes(), [](const ptx::FunctionAttribute& attribute) {
      return attribute.name == "maxnreg" || attribute.name == "minnctapersm";
    });
    editor.mutant().sites.push_back({});
  }
  return editor.finish("the kernel has neither local arrays nor spills");
}

// Every access of global memory at a word of this thread's own, the same in each round. The control goes there too, and
// computes the address that the kernel wanted.
Outcome no_addresses(const KernelText& prepared, const Facts& facts, int) {
  const Steering steering(prepared.lines);
  const uint64_t threads = facts.grid.volume() * facts.block.volume();
  constexpr uint64_t kWidest = 16;
  const uint64_t bytes = twin_bytes(std::min<uint64_t>(threads * kWidest, uint64_t{1} << 26));
  const auto make = [&](bool keep) {
    Editor editor(prepared);
    KernelText& text = editor.text();
    text.declare("b64", "%assay_own");
    text.declare("b64", "%assay_t");
    for (const char* name : {"%assay_s0", "%assay_s1", "%assay_s2"}) text.declare("b32", name);
    editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
      const bool load = is_global_load(instruction);
      if (load ? steering.steers(instruction) : !is_store(instruction, "global")) return std::nullopt;
      if (access_bytes(instruction) > static_cast<int>(kWidest)) return std::nullopt;
      const size_t at = load ? 1 : 0;
      const std::string base = address_register(instruction.operands[at]);
      if (base.empty() || text.width_of(base) != 64) return std::nullopt;
      Edit edit;
      edit.removed = true;
      if (keep)
        edit.before =
            fmt::format("and.b64 %assay_t, {}, {};\nadd.s64 %assay_t, %assay_t, %assay_own;\n", base, kUnknownWide);
      ptx::Instruction moved = instruction;
      ptx::AddressOperand address;
      address.base.push_back({ptx::Identifier{keep ? "%assay_t" : "%assay_own"}});
      moved.operands[at] = {address};
      // Else ptxas would load once for all rounds. A cache policy goes with its hint.
      std::erase_if(moved.modifiers, [](const std::string& word) { return word == "nc" || word.starts_with('L'); });
      moved.operands.resize(2);
      if (load) moved.modifiers.insert(moved.modifiers.begin(), "volatile");
      edit.before += ptx::print(moved) + "\n";
      return edit;
    });
    declare_twin(editor, bytes);
    editor.begin_with(
        fmt::format("mov.u32 %assay_s0, %ctaid.x;\nmov.u32 %assay_s1, %ntid.x;\nmov.u32 %assay_s2, %tid.x;\n"
                    "mad.lo.u32 %assay_s0, %assay_s0, %assay_s1, %assay_s2;\nmul.wide.u32 %assay_own, %assay_s0, {};\n"
                    "and.b64 %assay_own, %assay_own, {};\nadd.s64 %assay_own, %assay_own, %assay_twin;",
                    kWidest, bytes - 1));
    if (!keep) editor.remove_dead_code();
    return std::move(editor.mutant());
  };
  Mutant mutant = make(false);
  if (mutant.sites.empty()) return "the kernel has no accesses to global memory by a register";
  mutant.control = make(true).text;
  return mutant;
}

// Consecutive words of another buffer, a fresh stretch for each access: the same bytes in the fewest sectors. The
// addresses that the kernel wanted are computed all the same.
Outcome coalesced(const KernelText& prepared, const Facts& facts, int) {
  const Steering steering(prepared.lines);
  Editor editor(prepared);
  KernelText& text = editor.text();
  const uint64_t bytes = twin_bytes(std::max<uint64_t>(facts.all_buffers, uint64_t{1} << 26));
  const uint64_t threads = facts.grid.volume() * facts.block.volume();
  text.declare("b64", "%assay_t");
  text.declare("b64", "%assay_w");
  std::set<int> widths;
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    const bool load = is_global_load(instruction);
    if (load ? steering.steers(instruction) : !is_store(instruction, "global")) return std::nullopt;
    const size_t at = load ? 1 : 0;
    const int width = access_bytes(instruction);
    const std::string base = address_register(instruction.operands[at]);
    if (base.empty() || text.width_of(base) != 64 || width > 16) return std::nullopt;
    widths.insert(width);
    ptx::Instruction moved = instruction;
    ptx::AddressOperand address;
    address.base.push_back({ptx::Identifier{"%assay_t"}});
    moved.operands[at] = {address};
    Edit edit;
    edit.removed = true;
    const std::string next = fmt::format("%assay_q{}", width);
    edit.before = fmt::format(
        "and.b64 %assay_w, {0}, {1};\nand.b64 %assay_t, {2}, {3};\nadd.s64 %assay_t, %assay_t, %assay_twin;\n"
        "add.s64 %assay_t, %assay_t, %assay_w;\nadd.s64 {2}, {2}, {4};\n",
        base, kUnknownWide, next, bytes - 1, threads * static_cast<uint64_t>(width));
    edit.before += ptx::print(moved) + "\n";
    return edit;
  });
  if (editor.mutant().sites.empty()) return "the kernel has no accesses to global memory by a register";
  declare_twin(editor, bytes);
  for (const char* name : {"%assay_s0", "%assay_s1", "%assay_s2"}) text.declare("b32", name);
  std::string begin = fmt::format(
      "mov.u32 %assay_s0, %ctaid.z;\nmov.u32 %assay_s1, %ctaid.y;\nmad.lo.u32 %assay_s0, %assay_s0, {}, %assay_s1;\n"
      "mov.u32 %assay_s1, %ctaid.x;\nmad.lo.u32 %assay_s0, %assay_s0, {}, %assay_s1;\n"
      "mov.u32 %assay_s1, %tid.z;\nmov.u32 %assay_s2, %tid.y;\nmad.lo.u32 %assay_s1, %assay_s1, {}, %assay_s2;\n"
      "mov.u32 %assay_s2, %tid.x;\nmad.lo.u32 %assay_s1, %assay_s1, {}, %assay_s2;\n"
      "mad.lo.u32 %assay_s0, %assay_s0, {}, %assay_s1;\n",
      facts.grid.y, facts.grid.x, facts.block.y, facts.block.x, facts.block.volume());
  for (const int width : widths) {
    text.declare("b64", fmt::format("%assay_q{}", width));
    begin += fmt::format("mul.wide.u32 %assay_q{}, %assay_s0, {};\n", width, width);
  }
  editor.begin_with(begin);
  return editor.finish("");
}

}  // namespace assay::invert
