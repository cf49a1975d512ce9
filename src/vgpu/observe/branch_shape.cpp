// SPDX-License-Identifier: MIT
#include "vgpu/observe/branch_shape.hpp"

#include <algorithm>

#include "ptx/opcode_table.hpp"

namespace assay::vgpu {
namespace {

constexpr size_t kMostPredicated = 6;  // instructions that a branch may skip and be turned into predicates
constexpr size_t kMostUnrolled = 40;   // instructions of a loop that is unrolled
constexpr uint32_t kUnrolledRounds = 4;

class BranchShapes {
 public:
  BranchShapes(const Program& program, const Function& function, std::vector<InstructionCost>& costs)
      : program_(program), function_(function), costs_(costs) {}

  void run() {
    for (size_t at = 0; at < costs_.size(); ++at) {
      if (is_bra(at) && target(at) > at && becomes_predicates(at)) costs_[at].join = static_cast<uint32_t>(target(at));
    }
    for (size_t at = 0; at < costs_.size(); ++at) {
      if (is_bra(at) && target(at) <= at && is_unrolled(at)) costs_[at].rounds = kUnrolledRounds;
    }
  }

 private:
  bool is_bra(size_t at) const {
    const int row = function_.origins[at].table_row;
    return row != kNoTableRow && ptx::row_name(row) == "bra";
  }
  size_t target(size_t at) const { return static_cast<size_t>(function_.code[at].immediate); }
  static bool is_register(uint32_t row) { return row != kNoRow && (row & kConstantRow) == 0; }

  // Nothing in it orders warps, and nothing leaves it.
  bool is_plain(size_t at) const {
    switch (costs_[at].rule) {
      case ClockRule::free:
      case ClockRule::compute:
      case ClockRule::load:
      case ClockRule::store:
      case ClockRule::other:
        return true;
      default:
        return false;
    }
  }
  size_t instructions(size_t first, size_t end) const {
    return static_cast<size_t>(std::count_if(costs_.begin() + static_cast<std::ptrdiff_t>(first),
                                             costs_.begin() + static_cast<std::ptrdiff_t>(end),
                                             [](const InstructionCost& cost) { return cost.issue > 0; }));
  }

  bool becomes_predicates(size_t at) const {
    if (!is_register(function_.code[at].guard) || target(at) > costs_.size()) return false;
    for (size_t i = at + 1; i < target(at); ++i) {
      if (!is_plain(i)) return false;
    }
    return instructions(at + 1, target(at)) <= kMostPredicated;
  }

  bool is_unrolled(size_t at) const {
    const size_t first = target(at);
    if (!is_register(function_.code[at].guard) || instructions(first, at) > kMostUnrolled) return false;
    for (size_t i = first; i < at; ++i) {
      const bool collective = costs_[i].rule == ClockRule::collective;
      const bool inside = costs_[i].rule == ClockRule::branch && costs_[i].join != 0 && costs_[i].join <= at;
      if (!is_plain(i) && !collective && !inside) return false;
      if (costs_[i].memory == ptx::Operation::atomic || costs_[i].memory == ptx::Operation::reduction) return false;
    }
    return counts_by_a_constant(first, at) && !forbidden(first);
  }

  // The loop's condition compares a register that the body adds a constant to.
  bool counts_by_a_constant(size_t first, size_t at) const {
    const uint32_t condition = function_.code[at].guard;
    for (size_t i = first; i < at; ++i) {
      if (!writes(i, condition)) continue;
      const Instruction& compare = function_.code[i];
      for (uint16_t operand = function_.origins[i].written; operand < compare.row_count; ++operand) {
        if (is_register(compare.rows[operand]) && is_counter(first, at, compare.rows[operand])) return true;
      }
    }
    return false;
  }
  bool writes(size_t at, uint32_t row) const {
    const Instruction& instruction = function_.code[at];
    for (uint16_t i = 0; i < function_.origins[at].written; ++i) {
      if (instruction.rows[i] == row) return true;
    }
    return false;
  }
  bool is_counter(size_t first, size_t end, uint32_t row) const {
    for (size_t i = first; i < end; ++i) {
      const int table_row = function_.origins[i].table_row;
      if (!writes(i, row) || table_row == kNoTableRow || !ptx::row_name(table_row).ends_with(".int")) continue;
      const Instruction& sum = function_.code[i];
      for (uint16_t operand = function_.origins[i].written; operand < sum.row_count; ++operand) {
        if (!is_register(sum.rows[operand])) return true;
      }
    }
    return false;
  }

  // `.pragma "nounroll"` stands between the loop's label and its first instruction.
  bool forbidden(size_t first) const {
    const int line = function_.origins[first].ptx_line;
    constexpr int kLinesAbove = 6;
    for (int above = line - 1; above > std::max(0, line - kLinesAbove); --above) {
      if (static_cast<size_t>(above) > program_.source_lines.size()) continue;
      const std::string& text = program_.source_lines[static_cast<size_t>(above) - 1];
      if (text.find("nounroll") != std::string::npos) return true;
      if (text.find(':') != std::string::npos) return false;  // the label
    }
    return false;
  }

  const Program& program_;
  const Function& function_;
  std::vector<InstructionCost>& costs_;
};

}  // namespace

void shape_branches(const Program& program, const Function& function, std::vector<InstructionCost>& costs) {
  BranchShapes(program, function, costs).run();
}

}  // namespace assay::vgpu
