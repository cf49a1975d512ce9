// SPDX-License-Identifier: MIT
#include "ptx/opcode_pattern.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/format.h>
#include <stdexcept>

#include "base/text.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kClasses = {
    ModifierClass{"rnd", "rn|rz|rm|rp"},
    ModifierClass{"irnd", "rni|rzi|rmi|rpi"},
    ModifierClass{"cmp_int", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    ModifierClass{"cmp_float", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    ModifierClass{"bool", "and|or|xor"},
    ModifierClass{"int", "u16|u32|u64|s16|s32|s64"},
    ModifierClass{"space", "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    ModifierClass{"vec", "v2|v4|v8"},
    ModifierClass{"mem", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64|b128"},
    ModifierClass{"order", "relaxed|acquire|release|acq_rel|weak|volatile|mmio|sc"},
    ModifierClass{"scope", "cta|cluster|gpu|sys"},
    ModifierClass{"cop", "ca|cg|cs|lu|cv|wb|wt"},
    ModifierClass{"l1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    ModifierClass{"l2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    ModifierClass{"hint", "L2::cache_hint"},
    ModifierClass{"keep", "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"},
    ModifierClass{"prefetch", "L2::64B|L2::128B|L2::256B"},
    ModifierClass{"shared", "shared|shared::cta|shared::cluster"},
    ModifierClass{"ss", "global|shared|shared::cta"},
    ModifierClass{"dims", "1d|2d|3d|4d|5d"},
    ModifierClass{"geometry", "1d|2d|3d|a1d|a2d|cube|acube"},
    ModifierClass{"flat", "1d|2d|3d|a1d|a2d"},
    ModifierClass{"outside", "trap|clamp|zero"},
    ModifierClass{"reduce", "add|min|max|inc|dec|and|or|xor"},
    ModifierClass{"wmma", "m16n16k16|m8n32k16|m32n8k16"},
    ModifierClass{"m64nNk8",
                  "m64n8k8|m64n16k8|m64n24k8|m64n32k8|m64n40k8|m64n48k8|m64n56k8|m64n64k8|m64n72k8|m64n80k8|"
                  "m64n88k8|m64n96k8|m64n104k8|m64n112k8|m64n120k8|m64n128k8|m64n136k8|m64n144k8|m64n152k8|"
                  "m64n160k8|m64n168k8|m64n176k8|m64n184k8|m64n192k8|m64n200k8|m64n208k8|m64n216k8|m64n224k8|"
                  "m64n232k8|m64n240k8|m64n248k8|m64n256k8"},
    ModifierClass{"m64nNk16",
                  "m64n8k16|m64n16k16|m64n24k16|m64n32k16|m64n40k16|m64n48k16|m64n56k16|m64n64k16|m64n72k16|"
                  "m64n80k16|m64n88k16|m64n96k16|m64n104k16|m64n112k16|m64n120k16|m64n128k16|m64n136k16|m64n144k16|"
                  "m64n152k16|m64n160k16|m64n168k16|m64n176k16|m64n184k16|m64n192k16|m64n200k16|m64n208k16|"
                  "m64n216k16|m64n224k16|m64n232k16|m64n240k16|m64n248k16|m64n256k16"},
    ModifierClass{"m64nNk32",
                  "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n40k32|m64n48k32|m64n56k32|m64n64k32|m64n72k32|"
                  "m64n80k32|m64n88k32|m64n96k32|m64n104k32|m64n112k32|m64n120k32|m64n128k32|m64n136k32|m64n144k32|"
                  "m64n152k32|m64n160k32|m64n168k32|m64n176k32|m64n184k32|m64n192k32|m64n200k32|m64n208k32|"
                  "m64n216k32|m64n224k32|m64n232k32|m64n240k32|m64n248k32|m64n256k32"},
    ModifierClass{"m64nNk32_int",
                  "m64n8k32|m64n16k32|m64n24k32|m64n32k32|m64n48k32|m64n64k32|m64n80k32|m64n96k32|m64n112k32|"
                  "m64n128k32|m64n144k32|m64n160k32|m64n176k32|m64n192k32|m64n208k32|m64n224k32|m64n240k32|"
                  "m64n256k32"},
    ModifierClass{"m64nNk64",
                  "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n40k64|m64n48k64|m64n56k64|m64n64k64|m64n72k64|"
                  "m64n80k64|m64n88k64|m64n96k64|m64n104k64|m64n112k64|m64n120k64|m64n128k64|m64n136k64|m64n144k64|"
                  "m64n152k64|m64n160k64|m64n168k64|m64n176k64|m64n184k64|m64n192k64|m64n200k64|m64n208k64|"
                  "m64n216k64|m64n224k64|m64n232k64|m64n240k64|m64n248k64|m64n256k64"},
    ModifierClass{"m64nNk64_int",
                  "m64n8k64|m64n16k64|m64n24k64|m64n32k64|m64n48k64|m64n64k64|m64n80k64|m64n96k64|m64n112k64|"
                  "m64n128k64|m64n144k64|m64n160k64|m64n176k64|m64n192k64|m64n208k64|m64n224k64|m64n240k64|m64n256k64"},
    ModifierClass{"m64nNk256",
                  "m64n8k256|m64n16k256|m64n24k256|m64n32k256|m64n48k256|m64n64k256|m64n80k256|m64n96k256|"
                  "m64n112k256|m64n128k256|m64n144k256|m64n160k256|m64n176k256|m64n192k256|m64n208k256|m64n224k256|"
                  "m64n240k256|m64n256k256"},
};

// Forms of these instructions that came with Blackwell.
constexpr std::array<std::string_view, 6> kBlackwell = {"im2col::w",      "im2col::w::128", "tile::gather4",
                                                        "tile::scatter4", "cta_group::1",   "cta_group::2"};

constexpr std::string_view kPolicy = "hint";  // the name of an operand that is a cache policy

Error table_mistake(const OpcodeRow& row, std::string_view what) {
  return Error{
      fmt::format("opcode table, row '{}': {} in '{}'", row.name, what, row.syntax), {}, "", ExitCode::internal};
}

std::vector<std::string> alternatives_of(std::string_view text) {
  if (!text.empty() && text.front() == '$') {
    const auto found =
        std::find_if(kClasses.begin(), kClasses.end(), [&](const auto& c) { return c.name == text.substr(1); });
    if (found == kClasses.end()) return {};
    text = found->alternatives;
  } else if (!text.empty() && text.front() == '(') {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<std::string> names;
  for (const std::string_view name : split(text, '|')) {
    // A class may stand inside a list of alternatives.
    if (!name.empty() && name.front() == '$') {
      for (std::string& inner : alternatives_of(name)) names.push_back(std::move(inner));
    } else {
      names.emplace_back(name);
    }
  }
  return names;
}

// The length of one modifier's text (after its dot): up to the next '.', '{' or '}' outside parentheses.
size_t modifier_length(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth == 0 && (c == '.' || c == '{' || c == '}')) return i;
  }
  return text.size();
}

Result<std::vector<ModifierSlot>> compile_modifiers(const OpcodeRow& row, std::string_view text) {
  std::vector<ModifierSlot> slots;
  bool optional = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '{') {
      optional = true, ++i;
    } else if (text[i] == '}') {
      optional = false, ++i;
    } else if (text[i] == '.') {
      const size_t length = modifier_length(text.substr(i + 1));
      ModifierSlot slot{alternatives_of(text.substr(i + 1, length)), optional};
      if (slot.alternatives.empty()) return table_mistake(row, "unknown class of modifiers");
      slots.push_back(std::move(slot));
      i += 1 + length;
    } else {
      return table_mistake(row, "stray character among the modifiers");
    }
  }
  return slots;
}

Result<OperandType> compile_operand_type(const OpcodeRow& row, std::string_view text) {
  OperandType type;
  if (text.empty()) return type;
  if (text.back() == '+') {
    type.or_wider = true;
    text.remove_suffix(1);
  }
  if (text == "any") {
    type.from = OperandType::From::any;
  } else if (text == "wide") {
    type.from = OperandType::From::wide;
  } else if (text == "t0" || text == "t1" || text == "t2" || text == "t3") {
    type.index = text[1] - '0';
  } else if (const auto fixed = type_named(text)) {
    type.from = OperandType::From::fixed;
    type.fixed = *fixed;
  } else {
    return table_mistake(row, "unknown operand type");
  }
  return type;
}

Result<OperandPattern> compile_operand(const OpcodeRow& row, std::string_view text, bool optional) {
  OperandPattern operand;
  operand.optional = optional;
  if (text.size() > 2 && text.front() == '[') {
    const bool tensor = text.ends_with("}]");
    operand.form = tensor ? OperandPattern::Form::tensor : OperandPattern::Form::address;
    operand.name = std::string(text.substr(1, (tensor ? text.find('{') : text.size() - 1) - 1));
    return operand;
  }
  if (!text.empty() && text.front() == '{') {
    operand.form = OperandPattern::Form::vector;
    const size_t close = text.find('}');
    if (close == std::string_view::npos) return table_mistake(row, "unclosed vector");
    operand.name = std::string(text.substr(1, close - 1));
    const std::string_view rest = text.substr(close + 1);
    ASSAY_TRY(operand.type, compile_operand_type(row, rest.empty() ? rest : rest.substr(1)));
    return operand;
  }
  const auto parts = split(text, '|');
  const auto first = split(parts[0], ':');
  operand.name = std::string(first[0]);
  ASSAY_TRY(operand.type, compile_operand_type(row, first.size() > 1 ? first[1] : ""));
  if (parts.size() > 1) {
    operand.form = OperandPattern::Form::pair;
    const auto second = split(parts[1], ':');
    ASSAY_TRY(operand.second_type, compile_operand_type(row, second.size() > 1 ? second[1] : ""));
  }
  return operand;
}

Result<std::vector<OperandPattern>> compile_operands(const OpcodeRow& row, std::string_view text) {
  std::vector<OperandPattern> operands;
  bool optional = false;
  // "{, c}" opens the optional tail; a vector's brace never follows with a comma.
  std::string plain(text);
  if (const size_t tail = plain.find("{,"); tail != std::string::npos) {
    std::string required = plain.substr(0, tail);
    std::string rest = plain.substr(tail + 2);
    if (rest.empty() || rest.back() != '}') return table_mistake(row, "unclosed optional operands");
    rest.pop_back();
    for (const std::string_view part : split(required, ',')) {
      ASSAY_TRY(OperandPattern operand, compile_operand(row, trim(part), false));
      operands.push_back(std::move(operand));
    }
    optional = true;
    plain = rest;
  }
  if (trim(plain).empty()) return operands;
  for (const std::string_view part : split(plain, ',')) {
    ASSAY_TRY(OperandPattern operand, compile_operand(row, trim(part), optional));
    operands.push_back(std::move(operand));
  }
  return operands;
}

// Gives every modifier of the text a slot of its own; types keep their order. Few slots and few modifiers: a
// depth-first search is quick.
bool assign(const std::vector<ModifierSlot>& slots, const std::vector<std::string>& modifiers, size_t next,
            size_t first_type_slot, std::vector<bool>& taken) {
  if (next == modifiers.size()) {
    for (size_t s = 0; s < slots.size(); ++s) {
      if (!taken[s] && !slots[s].optional) return false;
    }
    return true;
  }
  const bool is_type = type_named(modifiers[next]).has_value();
  for (size_t s = is_type ? first_type_slot : 0; s < slots.size(); ++s) {
    if (taken[s]) continue;
    const auto& names = slots[s].alternatives;
    if (std::find(names.begin(), names.end(), modifiers[next]) == names.end()) continue;
    taken[s] = true;
    if (assign(slots, modifiers, next + 1, is_type ? s + 1 : first_type_slot, taken)) return true;
    taken[s] = false;
  }
  return false;
}

bool form_fits(const OperandPattern& pattern, const Operand& operand) {
  const auto* address = std::get_if<AddressOperand>(&operand.value);
  const bool is_address = address != nullptr;
  const bool is_vector = std::holds_alternative<VectorOperand>(operand.value);
  const bool is_pair = std::holds_alternative<PairOperand>(operand.value);
  const bool is_list = std::holds_alternative<ListOperand>(operand.value);
  switch (pattern.form) {
    case OperandPattern::Form::value:
      return !is_address && !is_vector && !is_pair && !is_list;
    case OperandPattern::Form::address:
      return is_address && address->coordinates.empty();
    case OperandPattern::Form::tensor:
      return is_address && !address->coordinates.empty();
    case OperandPattern::Form::vector:
      return !is_address && !is_pair && !is_list;
    case OperandPattern::Form::pair:
      return !is_address && !is_vector && !is_list;
  }
  return false;
}

bool operands_fit(const OpcodePattern& pattern, const Instruction& instruction) {
  if (pattern.raw_operands) return true;
  const std::vector<Operand>& given = instruction.operands;
  size_t count = given.size();
  size_t places = pattern.operands.size();
  // A policy is the last one, whatever else may be absent.
  if (places > 0 && pattern.operands.back().name == kPolicy) {
    --places;
    if (std::ranges::find(instruction.modifiers, "L2::cache_hint") != instruction.modifiers.end()) {
      if (count == 0 || !form_fits(pattern.operands.back(), given[--count])) return false;
    }
  }
  if (count > places) return false;
  for (size_t i = 0; i < places; ++i) {
    if (i >= count) return pattern.operands[i].optional;
    if (!form_fits(pattern.operands[i], given[i])) return false;
  }
  return true;
}

}  // namespace

std::span<const ModifierClass> modifier_classes() {
  return kClasses;
}

Result<OpcodePattern> compile_row(const OpcodeRow& row) {
  OpcodePattern pattern;
  pattern.row = &row;
  const size_t blank = row.syntax.find(' ');
  const std::string_view head = row.syntax.substr(0, blank);
  const size_t dot = head.find_first_of(".{");
  pattern.opcode = std::string(head.substr(0, dot));
  if (dot != std::string_view::npos) {
    ASSAY_TRY(pattern.slots, compile_modifiers(row, head.substr(dot)));
  }
  std::string_view operands = blank == std::string_view::npos ? "" : trim(row.syntax.substr(blank));
  const bool takes_policy = operands.ends_with("{, hint}");
  if (takes_policy) operands.remove_suffix(std::string_view("{, hint}").size());
  if (operands == "*") {
    pattern.raw_operands = true;
  } else {
    ASSAY_TRY(pattern.operands, compile_operands(row, operands));
  }
  if (takes_policy) {
    ASSAY_TRY(OperandPattern policy, compile_operand(row, "hint:b64", true));
    pattern.operands.push_back(std::move(policy));
  }
  return pattern;
}

bool Modifiers::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string_view Modifiers::one_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (has(name)) return name;
  }
  return {};
}

Type Modifiers::type(size_t index) const {
  assert(index < types_.size());
  return types_[index];
}

OpcodeMatcher::OpcodeMatcher() {
  int index = 0;
  for (const OpcodeFamily& family : opcode_families()) {
    for (const OpcodeRow& row : family.rows) {
      auto pattern = compile_row(row);
      if (!pattern) throw std::logic_error(pattern.error().message);
      pattern->family = family.name;
      pattern->row_index = index++;
      patterns_.push_back(std::move(pattern).value());
    }
  }
  std::stable_sort(patterns_.begin(), patterns_.end(),
                   [](const auto& a, const auto& b) { return a.opcode < b.opcode; });
}

const OpcodeMatcher& OpcodeMatcher::instance() {
  static const OpcodeMatcher matcher;
  return matcher;
}

Result<OpcodeMatch> OpcodeMatcher::match(const Instruction& instruction) const {
  const auto by_opcode = [](const OpcodePattern& pattern, const std::string& opcode) {
    return pattern.opcode < opcode;
  };
  auto candidate = std::lower_bound(patterns_.begin(), patterns_.end(), instruction.opcode, by_opcode);
  const bool known = candidate != patterns_.end() && candidate->opcode == instruction.opcode;
  const OpcodePattern* near_miss = nullptr;
  for (; candidate != patterns_.end() && candidate->opcode == instruction.opcode; ++candidate) {
    std::vector<bool> taken(candidate->slots.size());
    if (!assign(candidate->slots, instruction.modifiers, 0, 0, taken)) continue;
    if (!operands_fit(*candidate, instruction)) {
      near_miss = &*candidate;
      continue;
    }
    OpcodeMatch match;
    match.pattern = &*candidate;
    match.modifiers.names_ = instruction.modifiers;
    for (const std::string& name : instruction.modifiers) {
      if (const auto type = type_named(name)) match.modifiers.types_.push_back(*type);
    }
    return match;
  }
  const std::string text =
      instruction.opcode + (instruction.modifiers.empty() ? "" : "." + join(instruction.modifiers, "."));
  if (near_miss != nullptr) {
    return Error{fmt::format("{}: the operands do not fit; expected '{}'", text, near_miss->row->syntax),
                 {},
                 "",
                 ExitCode::usage};
  }
  for (const std::string& modifier : instruction.modifiers) {
    if (std::ranges::find(kBlackwell, modifier) == kBlackwell.end()) continue;
    return Error{
        fmt::format("{}: .{} needs compute capability 10.0 (Blackwell), which no virtual GPU has", text, modifier),
        {},
        "docs/ptx_coverage.md lists what the virtual GPU executes",
        ExitCode::environment};
  }
  const std::string_view what =
      known ? "this form of the instruction is not supported" : "this instruction is not supported";
  return Error{fmt::format("{}: {}", text, what),
               {},
               "docs/ptx_coverage.md lists what the virtual GPU executes",
               ExitCode::environment};
}

}  // namespace assay::ptx
