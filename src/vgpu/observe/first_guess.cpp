// SPDX-License-Identifier: MIT
#include "vgpu/observe/first_guess.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <unordered_map>

#include "vgpu/observe/memory_order.hpp"

namespace assay::vgpu {
namespace {

class Guesses {
 public:
  Guesses(const Program& program, const Function& function) : program_(program), function_(function) {
    for (size_t i = 0; i < function.code.size(); ++i) {
      for (size_t result = 0; result < function.origins[i].written; ++result)
        definers_[function.code[i].rows[result]].push_back(i);
    }
  }

  bool is_exchange(size_t at) const {
    const std::string_view opcode = opcode_of(at);
    return opcode.starts_with("atom.") && opcode.find(".cas.") != std::string_view::npos;
  }

  // The loads whose value, or a copy of it, the exchange compares.
  void find(size_t exchange, std::vector<FirstGuess>& found) const {
    const Instruction& instruction = function_.code[exchange];
    const size_t address = function_.origins[exchange].written;
    std::vector<uint32_t> open = {instruction.rows[address + 1]};
    std::set<uint32_t> seen(open.begin(), open.end());
    while (!open.empty()) {
      const auto definers = definers_.find(open.back());
      open.pop_back();
      if (definers == definers_.end()) continue;
      for (const size_t at : definers->second) {
        const Instruction& definer = function_.code[at];
        const size_t first = function_.origins[at].written;
        if (opcode_of(at).starts_with("mov.")) {
          for (size_t i = first; i < definer.row_count; ++i) {
            if (seen.insert(definer.rows[i]).second) open.push_back(definer.rows[i]);
          }
        } else if (is_plain_load(at) && is_same_place(at, first, exchange, address)) {
          found.push_back({at, exchange});
        }
      }
    }
  }

 private:
  std::string_view opcode_of(size_t at) const {
    const InstructionOrigin& origin = function_.origins[at];
    return origin.table_row == kNoTableRow ? std::string_view() : program_.opcodes[static_cast<size_t>(origin.opcode)];
  }
  bool copies_address(size_t at) const {
    const std::string_view opcode = opcode_of(at);
    return function_.origins[at].written == 1 && function_.code[at].row_count == 2 &&
           (opcode.starts_with("mov.") || opcode.starts_with("cvta.") || opcode.starts_with("cvt."));
  }
  bool is_plain_load(size_t at) const {
    const std::string_view opcode = opcode_of(at);
    if (!opcode.starts_with("ld.")) return false;
    const MemoryOrder order = memory_order_of(opcode);
    return !order.strong && !order.noncoherent;
  }

  // Where the value of a register comes from, if one instruction alone writes it.
  uint32_t source_of(uint32_t row) const {
    constexpr size_t kLongest = 16;
    for (size_t i = 0; i < kLongest; ++i) {
      const auto definers = definers_.find(row);
      if (definers == definers_.end() || definers->second.size() != 1) return row;
      const size_t at = definers->second.front();
      if (!copies_address(at)) return row;
      row = function_.code[at].rows[1];
    }
    return row;
  }
  // Addresses of variables are constants, of 32 bits at least.
  uint32_t constant(uint32_t row) const {
    uint32_t value = 0;
    std::memcpy(&value, function_.constants.data() + (row & ~kConstantRow), sizeof value);
    return value;
  }
  bool is_same_place(size_t one, size_t one_operand, size_t other, size_t other_operand) const {
    const Instruction& a = function_.code[one];
    const Instruction& b = function_.code[other];
    if (a.immediate != b.immediate) return false;
    const uint32_t from_a = source_of(a.rows[one_operand]), from_b = source_of(b.rows[other_operand]);
    if (from_a == from_b) return true;
    return (from_a & from_b & kConstantRow) != 0 && from_a != kNoRow && from_b != kNoRow &&
           constant(from_a) == constant(from_b);
  }

  const Program& program_;
  const Function& function_;
  std::unordered_map<uint32_t, std::vector<size_t>> definers_;  // of each row
};

}  // namespace

std::vector<FirstGuess> first_guesses(const Program& program, const Function& function) {
  std::vector<FirstGuess> found;
  const bool exchanges = std::ranges::any_of(function.origins, [&](const InstructionOrigin& origin) {
    return origin.table_row != kNoTableRow &&
           program.opcodes[static_cast<size_t>(origin.opcode)].find(".cas.") != std::string::npos;
  });
  if (!exchanges) return found;
  const Guesses guesses(program, function);
  for (size_t i = 0; i < function.code.size(); ++i) {
    if (guesses.is_exchange(i)) guesses.find(i, found);
  }
  return found;
}

}  // namespace assay::vgpu
