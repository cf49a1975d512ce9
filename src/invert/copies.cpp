// SPDX-License-Identifier: MIT
// Asynchronous copies: cp.async with its groups, and bulk copies (TMA) with their mbarriers.
#include <algorithm>
#include <fmt/format.h>

#include "invert/editor.hpp"
#include "invert/families.hpp"
#include "invert/operands.hpp"
#include "ptx/printer.hpp"

namespace assay::invert {
namespace {

bool is_async_copy(const ptx::Instruction& instruction) {
  return instruction.opcode == "cp" && has(instruction, "async") && !has(instruction, "bulk") &&
         (has(instruction, "ca") || has(instruction, "cg")) && instruction.operands.size() >= 2;
}
bool is_commit(const ptx::Instruction& instruction) {
  return instruction.opcode == "cp" && has(instruction, "async") && has(instruction, "commit_group") &&
         !has(instruction, "bulk");
}
// From global to shared memory, completing on an mbarrier.
bool is_bulk_load(const ptx::Instruction& instruction) {
  return instruction.opcode == "cp" && has(instruction, "bulk") && has(instruction, "mbarrier::complete_tx::bytes") &&
         has(instruction, "global");
}

}  // namespace

Outcome no_overlap(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_commit(instruction)) return std::nullopt;
    return Edit{.after = fmt::format("{}cp.async.wait_group 0;\n", guard_text(instruction))};
  });
  return editor.finish("the kernel has no groups of cp.async (of an mbarrier, PTX alone does not know the phase)");
}

// Commits and waits stay. An mbarrier must not expect what nobody sends.
Outcome no_copies(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  bool bulk = false;
  editor.change([&](const ptx::Instruction& instruction, const Line&, int number) -> std::optional<Edit> {
    Edit edit;
    edit.removed = true;
    if (is_async_copy(instruction)) {
      const std::string source = address_register(instruction.operands[1]);
      if (!source.empty() && text.width_of(source) == 64) {
        const std::string low = scratch(text, 32, 0);
        edit.before = fmt::format("cvt.u32.u64 {0}, {1};\nxor.b32 {2}, {2}, {0};\n", low, source, dummy(number));
      }
      return edit;
    }
    if (!is_bulk_load(instruction)) return std::nullopt;
    bulk = true;
    return edit;
  });
  if (bulk) {
    editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
      if (instruction.opcode != "mbarrier" || !has(instruction, "expect_tx")) return std::nullopt;
      Edit edit;
      edit.removed = true;
      edit.is_site = false;
      if (!has(instruction, "arrive")) return edit;  // it only expects
      ptx::Instruction plain = instruction;
      std::erase(plain.modifiers, "expect_tx");
      plain.operands.pop_back();
      edit.before = ptx::print(plain) + "\n";
      return edit;
    });
  }
  return editor.finish("the kernel has no asynchronous copies");
}

// Copies to several blocks of a cluster, one block at a time; other bulk copies in 2 and 4 pieces. The box of a tensor
// map is the host's: it stays.
Outcome smaller_copies(const KernelText& prepared, const Facts& facts, int dose) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  const int pieces = dose == 1 ? 2 : 4;
  const auto blocks = facts.cluster ? static_cast<int>(facts.cluster->volume()) : 1;
  for (const char* name : {"%assay_s0", "%assay_s1"}) text.declare("b32", name);
  text.declare("pred", "%assay_both");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_bulk_load(instruction)) return std::nullopt;
    Edit edit;
    edit.removed = true;
    if (has(instruction, "multicast::cluster")) {
      if (dose != 1 || blocks < 2 || instruction.guard) return std::nullopt;
      // The mask follows the mbarrier; a cache hint may follow it.
      const size_t mask =
          has(instruction, "L2::cache_hint") ? instruction.operands.size() - 2 : instruction.operands.size() - 1;
      text.declare("b16", "%assay_m");
      text.declare("b16", "%assay_one");
      for (int block = 0; block < blocks; ++block) {
        edit.before += fmt::format("mov.b16 %assay_m, {};\nand.b16 %assay_one, %assay_m, {};\n",
                                   ptx::print(instruction.operands[mask]), 1 << block);
        edit.before += "setp.ne.u16 %assay_both, %assay_one, 0;\n";
        ptx::Instruction one = instruction;
        one.operands[mask] = {ptx::Identifier{"%assay_one"}};
        one.guard = ptx::Guard{"%assay_both", false};
        edit.before += ptx::print(one) + "\n";
      }
      return edit;
    }
    if (has(instruction, "tensor") || instruction.operands.size() < 4) return std::nullopt;
    const std::string size = ptx::print(instruction.operands[2]);
    edit.before = fmt::format("mov.b32 %assay_s0, {};\nshr.u32 %assay_s0, %assay_s0, {};\n", size, pieces == 2 ? 1 : 2);
    const std::string target = address_register(instruction.operands[0]);
    const std::string source = address_register(instruction.operands[1]);
    if (target.empty() || source.empty() || text.width_of(target) != 32 || text.width_of(source) != 64)
      return std::nullopt;
    const std::string to = scratch(text, 32, 0);
    const std::string from = scratch(text, 64, 0);
    const std::string step = scratch(text, 64, 1);
    edit.before +=
        fmt::format("mov.b32 {}, {};\nmov.b64 {}, {};\ncvt.u64.u32 {}, %assay_s0;\n", to, target, from, source, step);
    for (int piece = 0; piece < pieces; ++piece) {
      ptx::Instruction part = instruction;
      rename(part, target, to);
      rename(part, source, from);
      part.operands[2] = {ptx::Identifier{"%assay_s0"}};
      edit.before += ptx::print(part) + "\n";
      edit.before += fmt::format("add.s32 {0}, {0}, %assay_s0;\nadd.s64 {1}, {1}, {2};\n", to, from, step);
    }
    return edit;
  });
  return editor.finish("the kernel has no multicast, and no bulk copy without a tensor map");
}

}  // namespace assay::invert
