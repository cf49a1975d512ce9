// SPDX-License-Identifier: MIT
// Pipes: special functions, FMA, ALU, tensor cores, float64, shuffles.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "invert/editor.hpp"
#include "invert/families.hpp"
#include "invert/operands.hpp"
#include "invert/steering.hpp"
#include "ptx/printer.hpp"

namespace assay::invert {
namespace {

// Where plain arithmetic is added: beside each product of matrices; without them at the end of each loop; without
// loops beside each store.
enum class Anchor { product, loop, store };
std::optional<Anchor> anchor_of(const KernelText& text) {
  bool stores = false;
  for (const Line& line : text.lines) {
    if (line.instruction() == nullptr || is_prepared_line(line)) continue;
    if (is_product(*line.instruction())) return Anchor::product;
    stores = stores || is_store(*line.instruction(), "global") || line.instruction()->opcode == "red" ||
             line.instruction()->opcode == "atom";
  }
  if (!loops_of(text.lines).empty()) return Anchor::loop;
  return stores ? std::optional(Anchor::store) : std::nullopt;
}

bool is_anchor(Anchor anchor, const ptx::Instruction& instruction, const Line& line,
               const std::set<int>& branches_back) {
  switch (anchor) {
    case Anchor::product:
      return is_product(instruction);
    case Anchor::loop:
      return branches_back.contains(line.origin);
    case Anchor::store:
      return is_store(instruction, "global") || instruction.opcode == "red" || instruction.opcode == "atom";
  }
  return false;
}

// So many of these beside each anchor; the text has the numbers of two dummies.
template <class Text>
Outcome at_anchors(const KernelText& prepared, int each, const Text& text) {
  const std::optional<Anchor> anchor = anchor_of(prepared);
  if (!anchor) return "the kernel has neither products, loops nor stores";
  std::set<int> branches_back;
  for (const Loop& loop : loops_of(prepared.lines)) branches_back.insert(prepared.lines[loop.last].origin);
  Editor editor(prepared);
  int rotation = 0;
  editor.change([&](const ptx::Instruction& instruction, const Line& line, int) -> std::optional<Edit> {
    if (!is_anchor(*anchor, instruction, line, branches_back)) return std::nullopt;
    Edit edit;
    for (int i = 0; i < each; ++i, ++rotation) edit.before += text(rotation);
    return edit;
  });
  return editor.finish("there is no place for it");
}

}  // namespace

Outcome more_special_functions(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  int rotation = 0;
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_special_function(instruction)) return std::nullopt;
    Edit edit;
    for (int i = 0; i < dose; ++i, ++rotation)
      edit.before += fmt::format("ex2.approx.ftz.f32 {0}, {0};\n", dummy(rotation));
    return edit;
  });
  return editor.finish("the kernel has no special functions");
}

Outcome more_fma(const KernelText& prepared, const Facts&, int dose) {
  return at_anchors(prepared, dose, [](int rotation) {
    return fmt::format("fma.rn.f32 {0}, {0}, {1}, {2};\n", dummy(rotation), kUnknown, dummy(rotation + 1));
  });
}

// Not a table that undoes itself when it is applied twice.
Outcome more_alu(const KernelText& prepared, const Facts&, int dose) {
  return at_anchors(prepared, dose, [](int rotation) {
    return fmt::format("lop3.b32 {0}, {0}, {1}, {2}, 0xb4;\n", dummy(rotation), kUnknown, dummy(rotation + 1));
  });
}

// Again into the same sums: as many registers and as much independence as before.
Outcome more_products(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_product(instruction)) return std::nullopt;
    ptx::Instruction again = instruction;
    if (instruction.opcode != "wgmma") {
      const bool same = type_modifier(instruction) == "f32" || has(instruction, "f32") || has(instruction, "s32");
      if (instruction.operands.size() < 4 || !same) return std::nullopt;
      again.operands[3] = again.operands[0];
    }
    Edit edit;
    for (int i = 0; i < dose; ++i) edit.after += ptx::print(again) + "\n";
    return edit;
  });
  return editor.finish("the kernel has no products of matrices");
}

// A share of the f32 arithmetic, larger with the dose: an eighth, a quarter, half, all.
Outcome through_f64(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  int seen = 0;
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    static constexpr std::array<std::string_view, 4> kNames = {"fma", "add", "sub", "mul"};
    if (type_modifier(instruction) != "f32" || std::ranges::find(kNames, instruction.opcode) == kNames.end())
      return std::nullopt;
    if (seen++ % (8 / dose) != 0) return std::nullopt;
    Edit edit;
    edit.removed = true;
    std::string sources;
    for (size_t i = 1; i < instruction.operands.size(); ++i) {
      const std::string wide = scratch(text, 64, static_cast<int>(i));
      edit.before += fmt::format("cvt.f64.f32 {}, {};\n", wide, operand_text(instruction, i));
      sources += ", " + wide;
    }
    const std::string result = scratch(text, 64, 0);
    edit.before += fmt::format("{}{}.rn.f64 {}{};\n", guard_text(instruction), instruction.opcode, result, sources);
    edit.before +=
        fmt::format("{}cvt.rn.f32.f64 {}, {};\n", guard_text(instruction), operand_text(instruction, 0), result);
    return edit;
  });
  return editor.finish("the kernel has no f32 arithmetic");
}

Outcome no_special_functions(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_special_function(instruction)) return std::nullopt;
    const int bits = bits_of(type_modifier(instruction));
    Edit edit;
    edit.removed = true;
    edit.before = fmt::format("{}mov.b{} {}, {};\n", guard_text(instruction), bits, operand_text(instruction, 0),
                              operand_text(instruction, 1));
    return edit;
  });
  return editor.finish("the kernel has no special functions");
}

// The sums stay as they were; one register of a and one of b are used, so that their loads stay.
Outcome no_products(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  editor.change([&](const ptx::Instruction& instruction, const Line&, int number) -> std::optional<Edit> {
    if (!is_product(instruction)) return std::nullopt;
    Edit edit;
    edit.removed = true;
    const std::string into = dummy(number);
    if (instruction.opcode == "wgmma") {
      // One register of a, or the descriptor of a, and that of b.
      for (const size_t at : {size_t{1}, size_t{2}}) {
        std::vector<std::string> names;
        add_names(instruction.operands.at(at), names);
        if (names.empty()) continue;
        const bool wide = text.width_of(names.front()) == 64;
        const std::string word = wide ? scratch(text, 32, static_cast<int>(at)) : names.front();
        if (wide) edit.before += fmt::format("cvt.u32.u64 {}, {};\n", word, names.front());
        edit.before += fmt::format("xor.b32 {0}, {0}, {1};\n", into, word);
      }
      return edit;
    }
    std::vector<std::string> d;
    std::vector<std::string> a;
    std::vector<std::string> b;
    std::vector<std::string> c;
    if (instruction.operands.size() < 4) return std::nullopt;
    add_names(instruction.operands[0], d);
    add_names(instruction.operands[1], a);
    add_names(instruction.operands[2], b);
    add_names(instruction.operands[3], c);
    if (a.empty() || b.empty() || text.width_of(a.front()) != 32 || text.width_of(b.front()) != 32) return std::nullopt;
    edit.before = fmt::format("lop3.b32 {0}, {0}, {1}, {2}, 0x96;\n", into, a.front(), b.front());
    for (size_t i = 0; i < d.size() && i < c.size(); ++i) {
      if (d[i] != c[i]) edit.before += fmt::format("mov.b{} {}, {};\n", text.width_of(d[i]), d[i], c[i]);
    }
    return edit;
  });
  return editor.finish("the kernel has no products of matrices");
}

Outcome no_conversions(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    const bool extremum = instruction.opcode == "min" || instruction.opcode == "max";
    const bool choice = instruction.opcode == "selp";
    if (!extremum && !choice && instruction.opcode != "cvt") return std::nullopt;
    std::vector<std::string> to;
    std::vector<std::string> from;
    add_names(instruction.operands.at(0), to);
    add_names(instruction.operands.at(1), from);
    // Integers are often addresses or counts.
    const auto floating = [](const std::string& type) { return type.starts_with('f') || type.starts_with("bf"); };
    const bool any_float = std::ranges::any_of(instruction.modifiers, floating);
    if (to.size() != 1 || from.size() != 1 || !any_float) return std::nullopt;
    const int wide_to = text.width_of(to.front());
    const int wide_from = text.width_of(from.front());
    const std::string guard = guard_text(instruction);
    Edit edit;
    edit.removed = true;
    if (wide_to == wide_from) {
      edit.before = fmt::format("{}mov.b{} {}, {};\n", guard, wide_to, to.front(), from.front());
    } else if (wide_to == 2 * wide_from) {
      edit.before = fmt::format("{0}mov.b{1} {2}, {{{3}, {3}}};\n", guard, wide_to, to.front(), from.front());
    } else if (2 * wide_to == wide_from) {
      const std::string other = scratch(text, wide_to, 7);
      edit.before = fmt::format("{}mov.b{} {{{}, {}}}, {};\n", guard, wide_from, to.front(), other, from.front());
    } else {
      return std::nullopt;
    }
    return edit;
  });
  return editor.finish("the kernel has no conversions, minima, maxima or selections of floating numbers");
}

// A remainder stays below its divisor, a quotient becomes zero, which ptxas cannot know: as indices both are in range.
Outcome no_divisions(const KernelText& prepared, const Facts&, int) {
  const Steering steering(prepared.lines);
  bool steers = false;
  Editor editor(prepared);
  KernelText& text = editor.text();
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    const bool quotient = instruction.opcode == "div";
    if (!quotient && instruction.opcode != "rem") return std::nullopt;
    const std::string type = type_modifier(instruction);
    const int bits = bits_of(type);
    if ((!type.starts_with('s') && !type.starts_with('u')) || (bits != 32 && bits != 64)) return std::nullopt;
    if (steering.steers(instruction)) {
      steers = true;
      return std::nullopt;
    }
    const std::string guard = guard_text(instruction);
    const std::string part = scratch(text, bits, 0);
    const std::string dividend = operand_text(instruction, 1);
    const std::string divisor = operand_text(instruction, 2);
    Edit edit;
    edit.removed = true;
    if (quotient) {
      edit.before = fmt::format("and.b{} {}, {}, {};\n", bits, part, dividend, divisor);
      edit.before += fmt::format("{}and.b{} {}, {}, {};\n", guard, bits, operand_text(instruction, 0), part,
                                 bits == 64 ? kUnknownWide : kUnknown);
    } else {
      edit.before = fmt::format("sub.{} {}, {}, 1;\n", type, part, divisor);
      edit.before += fmt::format("{}and.b{} {}, {}, {};\n", guard, bits, operand_text(instruction, 0), dividend, part);
    }
    return edit;
  });
  return editor.finish(steers ? "branches, barriers or copies depend on every division of integers"
                              : "the kernel divides no integers");
}

// On the low halves of the registers: pairs are taken apart and put together by moves, which ptxas makes vanish.
Outcome f64_as_f32(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    static constexpr std::array<std::string_view, 6> kNames = {"fma", "add", "sub", "mul", "min", "max"};
    if (type_modifier(instruction) != "f64" || std::ranges::find(kNames, instruction.opcode) == kNames.end())
      return std::nullopt;
    Edit edit;
    edit.removed = true;
    std::string sources;
    for (size_t i = 1; i < instruction.operands.size(); ++i) {
      const std::string low = scratch(text, 32, 2 * static_cast<int>(i));
      const std::string high = scratch(text, 32, 2 * static_cast<int>(i) + 1);
      if (const auto* literal = std::get_if<ptx::FloatLiteral>(&instruction.operands[i].value)) {
        edit.before += fmt::format("mov.b32 {}, {};\n", low, static_cast<uint32_t>(literal->bits >> 32));
      } else {
        edit.before += fmt::format("mov.b64 {{{}, {}}}, {};\n", low, high, operand_text(instruction, i));
      }
      sources += ", " + low;
    }
    const std::string result = scratch(text, 32, 0);
    const bool rounds = instruction.opcode != "min" && instruction.opcode != "max";
    edit.before += fmt::format("{}{}{}.f32 {}{};\n", guard_text(instruction), instruction.opcode, rounds ? ".rn" : "",
                               result, sources);
    edit.before +=
        fmt::format("{0}mov.b64 {1}, {{{2}, {2}}};\n", guard_text(instruction), operand_text(instruction, 0), result);
    return edit;
  });
  return editor.finish("the kernel has no float64 arithmetic");
}

Outcome no_shuffles(const KernelText& prepared, const Facts&, int) {
  const Steering steering(prepared.lines);
  bool steers = false;
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    const bool vote = instruction.opcode == "vote";
    if (instruction.opcode != "shfl" && instruction.opcode != "redux" && !vote) return std::nullopt;
    if (steering.steers(instruction)) {
      steers = true;
      return std::nullopt;
    }
    const ptx::Operand& result = instruction.operands.at(0);
    const std::string source = operand_text(instruction, 1);
    const std::string guard = guard_text(instruction);
    Edit edit;
    edit.removed = true;
    if (vote && has(instruction, "ballot")) {
      edit.before = fmt::format("{}selp.b32 {}, -1, 0, {};\n", guard, ptx::print(result), source);
    } else if (vote) {
      edit.before = fmt::format("{}mov.pred {}, {};\n", guard, ptx::print(result), source);
    } else if (const auto* pair = std::get_if<ptx::PairOperand>(&result.value)) {
      edit.before = fmt::format("{}mov.b32 {}, {};\n", guard, ptx::print(pair->elements.at(0)), source);
      // In range, as it is for most lanes.
      edit.before += fmt::format("{}setp.eq.b32 {}, {}, 0;\n", guard, ptx::print(pair->elements.at(1)), kUnknown);
    } else {
      edit.before = fmt::format("{}mov.b32 {}, {};\n", guard, ptx::print(result), source);
    }
    return edit;
  });
  return editor.finish(steers ? "branches, barriers or copies depend on every shuffle, vote and warp reduction"
                              : "the kernel has no shuffles, votes or warp reductions");
}

}  // namespace assay::invert
