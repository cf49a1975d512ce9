// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_check.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/observe/block_races.hpp"
#include "vgpu/observe/first_guess.hpp"

namespace assay::vgpu {
namespace {

RaceCheck::StoreGroup store_group_of(std::string_view opcode) {
  if (opcode.starts_with("cp.async.bulk.commit_group")) return RaceCheck::StoreGroup::commit;
  return opcode == "cp.async.bulk.wait_group" ? RaceCheck::StoreGroup::wait : RaceCheck::StoreGroup::none;
}

}  // namespace

void RaceCheck::begin_launch(const LaunchView& view) {
  program_ = &view.program;
  kernel_ = view.kernel.name;
  numbers_.clear();
  instructions_.clear();
  global.clear();
  places.clear();
  blocks_.clear();
  for (size_t f = 0; f < view.program.functions.size(); ++f) {
    const Function& function = view.program.functions[f];
    auto& numbers = numbers_.emplace_back(function.code.size());
    for (size_t i = 0; i < function.code.size(); ++i) {
      if (function.origins[i].table_row == kNoTableRow) continue;
      const std::string& opcode = view.program.opcodes[static_cast<size_t>(function.origins[i].opcode)];
      constexpr std::array kMemory = {"ld",       "st",    "atom",  "red",    "cp",  "wmma",    "ldmatrix",
                                      "stmatrix", "wgmma", "fence", "membar", "ldu", "multimem"};
      const std::string_view base = std::string_view(opcode).substr(0, opcode.find('.'));
      if (std::ranges::find(kMemory, base) == kMemory.end()) continue;
      numbers[i] = static_cast<uint16_t>(std::min<size_t>(instructions_.size(), UINT16_MAX));
      if (instructions_.size() <= UINT16_MAX)
        instructions_.push_back({f, i, memory_order_of(opcode), store_group_of(opcode)});
    }
    // Such a load counts as a relaxed one, in the scope of the exchange.
    for (const FirstGuess& guess : first_guesses(view.program, function)) {
      if (numbers[guess.load] >= instructions_.size() || numbers[guess.exchange] >= instructions_.size()) continue;
      MemoryOrder& order = instructions_[numbers[guess.load]].order;
      order.strong = true;
      order.wide |= instructions_[numbers[guess.exchange]].order.wide;
    }
  }
  if (instructions_.empty()) instructions_.push_back({});
}

std::unique_ptr<BlockObserver> RaceCheck::begin_block(const Block& block) {
  auto races = std::make_unique<BlockRaces>(*this, block);
  blocks_[&block] = races.get();
  return races;
}

void RaceCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  settle();
  static_cast<BlockRaces*>(observer.get())->find_late_visits();
  std::erase_if(blocks_, [&](const auto& entry) { return entry.second == observer.get(); });
}

BlockRaces* RaceCheck::of(const Block* block) const {
  const auto found = blocks_.find(block);
  return found != blocks_.end() ? found->second : nullptr;
}

const gpu::FindingList& RaceCheck::found() const {
  found_ = {};
  for (const Finding& finding : findings_) found_.add(finding);
  return found_;
}

uint64_t RaceCheck::occurrences() const {
  uint64_t sum = 0;
  for (const Finding& finding : findings_) sum += finding.count;
  return sum;
}

Finding RaceCheck::finding_at(size_t number) const {
  const MemoryInstruction& at = instructions_[number];
  const InstructionOrigin& origin = program_->functions[at.function].origins[at.instruction];
  Finding finding;
  finding.kernel = kernel_;
  finding.source = program_->source_chain(origin.location);
  finding.ptx_line = origin.ptx_line;
  if (origin.ptx_line > 0 && static_cast<size_t>(origin.ptx_line) <= program_->source_lines.size())
    finding.instruction = program_->source_lines[static_cast<size_t>(origin.ptx_line) - 1];
  return finding;
}

std::string RaceCheck::place_of(size_t number) const {
  const MemoryInstruction& at = instructions_[number];
  return place_of(program_->functions[at.function].origins[at.instruction]);
}

// "the shfl between them (at kernel.cu:12)"
std::string RaceCheck::collective(const Function& function, const Instruction& instruction) const {
  const InstructionOrigin& origin = function.origins[function.index_of(instruction)];
  const std::string_view opcode = program_->opcodes[static_cast<size_t>(origin.opcode)];
  return fmt::format("the {} between them (at {})", opcode.substr(0, opcode.find('.')), place_of(origin));
}

std::string RaceCheck::place_of(const InstructionOrigin& origin) const {
  Finding place;
  place.source = program_->source_chain(origin.location);
  if (const SourceLine* line = user_line(place)) return fmt::format("{}:{}", line->file, line->line);
  return fmt::format("line {} of the PTX", origin.ptx_line);
}

void RaceCheck::settle_values() {
  for (const EqualValue& value : open_values) {
    if (std::memcmp(value.at, value.before.data(), value.bytes) == 0)
      findings_[value.finding].message += "; both store the same value";
  }
  open_values.clear();
}

}  // namespace assay::vgpu
