// SPDX-License-Identifier: MIT
#include "vgpu/observe/definedness_rule.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/opcode_pattern.hpp"
#include "ptx/type.hpp"

namespace assay::vgpu {
namespace {

using enum DefinednessRule;

// Rows that are not here compute. The first prefix that fits decides.
constexpr std::array kRules = {
    std::pair{std::string_view("mov.pack"), pack},
    std::pair{std::string_view("mov.unpack"), unpack},
    std::pair{std::string_view("activemask"), define},
    std::pair{std::string_view("movmatrix"), across_lanes},
    std::pair{std::string_view("mov"), move},
    std::pair{std::string_view("cvta"), move},
    std::pair{std::string_view("not"), move},
    std::pair{std::string_view("selp"), select},
    std::pair{std::string_view("and"), mask_and},
    std::pair{std::string_view("or"), mask_or},
    std::pair{std::string_view("shl"), shift_left},
    std::pair{std::string_view("shr"), shift_right},
    std::pair{std::string_view("shf"), rearrange},
    std::pair{std::string_view("bfe"), rearrange},
    std::pair{std::string_view("bfi"), rearrange},
    std::pair{std::string_view("prmt"), permute},
    std::pair{std::string_view("cvt.int_to_float"), compute},
    std::pair{std::string_view("cvt.int"), extend},
    std::pair{std::string_view("shfl"), shuffle},
    std::pair{std::string_view("vote"), across_lanes},
    std::pair{std::string_view("match"), across_lanes},
    std::pair{std::string_view("redux"), across_lanes},
    std::pair{std::string_view("ldmatrix"), load_matrix},
    std::pair{std::string_view("ld"), load},
    std::pair{std::string_view("ldu"), load},
    std::pair{std::string_view("st"), store},
    std::pair{std::string_view("suld"), load},
    std::pair{std::string_view("sust"), store},
    std::pair{std::string_view("sured"), atomic},
    std::pair{std::string_view("atom"), atomic},
    std::pair{std::string_view("red"), atomic},
    std::pair{std::string_view("mma.sp"), warp_product},
    std::pair{std::string_view("mma"), product},
    std::pair{std::string_view("wmma"), warp_product},
    std::pair{std::string_view("wgmma.mma_async"), group_product},
    std::pair{std::string_view("call"), call},
    std::pair{std::string_view("ret"), return_results},
};

bool begins_with_word(std::string_view row, std::string_view word) {
  if (!row.starts_with(word)) return false;
  return row.size() == word.size() || word.ends_with('.') || row[word.size()] == '.' || row[word.size()] == '_';
}

struct TypeOfModifier {
  uint8_t bytes = 0;
  bool is_signed = false;
};

// The index-th type among the modifiers of "cvt.sat.u8.s32".
TypeOfModifier type_of(std::string_view opcode, size_t index) {
  for (size_t at = opcode.find('.'); at != opcode.npos;) {
    const size_t end = opcode.find('.', at + 1);
    const std::string_view word = opcode.substr(at + 1, end == opcode.npos ? opcode.npos : end - at - 1);
    if (const auto type = ptx::type_named(word); type && index-- == 0) {
      return {static_cast<uint8_t>((ptx::info(*type).bits + 7) / 8), word.starts_with('s')};
    }
    at = end;
  }
  return {};
}

semantics::Shuffle shuffle_of(std::string_view opcode) {
  const auto has = [&](std::string_view mode) { return opcode.find(mode) != opcode.npos; };
  return has(".up.")     ? semantics::Shuffle::up
         : has(".down.") ? semantics::Shuffle::down
         : has(".bfly.") ? semantics::Shuffle::bfly
                         : semantics::Shuffle::idx;
}

}  // namespace

DefinednessRule definedness_rule(std::string_view opcode_row) {
  const auto* const rule = std::find_if(kRules.begin(), kRules.end(),
                                        [&](const auto& each) { return begins_with_word(opcode_row, each.first); });
  return rule == kRules.end() ? compute : rule->second;
}

std::vector<DefinednessStep> definedness_steps(const Program& program, const Function& function) {
  std::vector<DefinednessStep> steps(function.code.size());
  const auto& patterns = ptx::OpcodeMatcher::instance().patterns();
  std::vector<DefinednessRule> rule_of_row(patterns.size(), compute);
  for (const ptx::OpcodePattern& pattern : patterns)
    rule_of_row[static_cast<size_t>(pattern.row_index)] = definedness_rule(pattern.row->name);
  for (size_t i = 0; i < steps.size(); ++i) {
    const InstructionOrigin& origin = function.origins[i];
    DefinednessStep& step = steps[i];
    if (origin.table_row == kNoTableRow) {
      step.rule = move;  // the decoder's own: the negation of a predicate
      continue;
    }
    step.rule = rule_of_row[static_cast<size_t>(origin.table_row)];
    const std::string_view opcode = program.opcodes[static_cast<size_t>(origin.opcode)];
    const TypeOfModifier type = type_of(opcode, step.rule == extend ? 1 : 0);
    step.memory_bytes = type.bytes;
    step.is_signed = type.is_signed;
    step.shuffle = shuffle_of(opcode);
    step.picks_by_selector = opcode == "prmt.b32";
    step.product_rows = opcode.find(".m8n8k") != opcode.npos ? 8 : 16;
    const Instruction& instruction = function.code[i];
    const RowInfo* const info = function.info_of(instruction);
    const bool own_parameter =
        std::any_of(info, info + instruction.row_count, [](RowInfo row) { return row.lane_parameter; });
    if (own_parameter) step.rule = pass_parameter;
    step.has_address = std::any_of(info, info + instruction.row_count, [](RowInfo row) { return row.address; });
  }
  return steps;
}

}  // namespace assay::vgpu
