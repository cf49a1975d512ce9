// SPDX-License-Identifier: MIT
#include "invert/steering.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "invert/editor.hpp"
#include "invert/operands.hpp"

namespace assay::invert {
namespace {

// What the protocol is made of, bulk copies included.
bool keeps_protocol(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 5> kOpcodes = {"mbarrier", "bar", "barrier", "setmaxnreg", "elect"};
  return std::ranges::find(kOpcodes, instruction.opcode) != kOpcodes.end() ||
         (instruction.opcode == "cp" && has(instruction, "bulk"));
}

bool is_jump(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 4> kOpcodes = {"bra", "brx", "ret", "exit"};
  return std::ranges::find(kOpcodes, instruction.opcode) != kOpcodes.end();
}

}  // namespace

Steering::Steering(const std::vector<Line>& lines) {
  std::map<std::string, std::vector<size_t>> written_at;
  std::vector<Registers> registers(lines.size());
  std::vector<std::string> open;  // registers that steer and were not followed yet
  for (size_t i = 0; i < lines.size(); ++i) {
    const ptx::Instruction* instruction = lines[i].instruction();
    if (instruction == nullptr) continue;
    registers[i] = registers_of(*instruction);
    for (const std::string& name : registers[i].writes) written_at[name].push_back(i);
    if (keeps_protocol(*instruction) || is_jump(*instruction))
      open.insert(open.end(), registers[i].reads.begin(), registers[i].reads.end());
    protocol_ = protocol_ || instruction->opcode == "mbarrier";
    handed_over_ = handed_over_ ||
                   ((instruction->opcode == "bar" || instruction->opcode == "barrier") && has(*instruction, "arrive"));
    roles_ = roles_ || instruction->opcode == "setmaxnreg";
    if (instruction->opcode == "mbarrier") waiting_.insert(registers[i].writes.begin(), registers[i].writes.end());
  }
  roles_ = roles_ || handed_over_;
  if (!protocol_) return;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!registers_.insert(name).second) continue;
    for (const size_t line : written_at[name]) {
      open.insert(open.end(), registers[line].reads.begin(), registers[line].reads.end());
      through_shared_ = through_shared_ || is_load(*lines[line].instruction(), "shared");
    }
  }
}

bool Steering::steers(const ptx::Instruction& instruction) const {
  if (!protocol_) return false;
  return std::ranges::any_of(registers_of(instruction).writes,
                             [&](const std::string& name) { return registers_.contains(name); });
}

bool Steering::may_carry(const ptx::Instruction& store) const {
  return through_shared_ && is_store(store, "shared");
}

bool Steering::is_kept_between(const std::vector<Line>& lines, size_t first, size_t last) const {
  if (!protocol_) return false;
  for (size_t i = first; i < std::min(last, lines.size()); ++i) {
    const ptx::Instruction* instruction = lines[i].instruction();
    if (instruction == nullptr) continue;
    if (keeps_protocol(*instruction) || is_jump(*instruction) || steers(*instruction)) return true;
  }
  return false;
}

bool Steering::waits(const ptx::Instruction& branch) const {
  return branch.guard && waiting_.contains(branch.guard->predicate);
}

}  // namespace assay::invert
