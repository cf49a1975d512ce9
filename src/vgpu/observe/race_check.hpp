// SPDX-License-Identifier: MIT
// Finds data races in shared and global memory: two accesses of different threads to one place, at least one of them a
// write, with nothing that orders them, unless both are strong (atomic, volatile or ordered) in scopes that include
// each other. What orders is PTX's memory model: barriers of blocks, warps and clusters, mbarriers, release and
// acquire, fences beside strong accesses; shuffles and votes do not. What the schedule happened to be does not
// matter.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/observe/check.hpp"
#include "vgpu/observe/memory_order.hpp"
#include "vgpu/observe/race_clock.hpp"
#include "vgpu/observe/race_shadow.hpp"

namespace assay::vgpu {

class BlockRaces;

// A place in memory that strong writes have handed knowledge on by.
struct SynchronisingPlace {
  Published near;  // for threads of the writer's block
  Published wide;  // for all
};

class RaceCheck final : public Check {
 public:
  void begin_launch(const LaunchView& view) override;
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;
  bool wants_order() const override { return true; }

  const gpu::FindingList& found() const override;
  const std::vector<Finding>& findings() const { return findings_; }
  uint64_t occurrences() const;

  bool one_by_one = false;  // each lane looks at each cell for itself: slower, and the same findings

  // --- for the blocks
  enum class StoreGroup : uint8_t { none, commit, wait };  // of bulk stores; a wait for their reads alone is none
  struct MemoryInstruction {
    size_t function = 0, instruction = 0;
    MemoryOrder order;
    StoreGroup store_group = StoreGroup::none;
  };
  const MemoryInstruction& instruction(size_t number) const { return instructions_[number]; }
  size_t number_of(const Function& function, const Instruction& instruction) const {
    return numbers_[program_->index_of(function)][function.index_of(instruction)];
  }
  BlockRaces* of(const Block* block) const;
  std::vector<Finding>& mutable_findings() { return findings_; }
  std::map<std::pair<size_t, size_t>, size_t>& index() { return index_; }
  std::string place_of(size_t number) const;
  std::string collective(const Function& function, const Instruction& instruction) const;  // in words
  Finding finding_at(size_t number) const;  // what is known of the instruction alone
  void settle() {
    if (!open_values.empty()) settle_values();
  }
  void settle_values();  // whether the last race was one of equal values is known when the store is done

  Shadow global;
  std::unordered_map<uint64_t, SynchronisingPlace> places;  // in global memory
  struct EqualValue {
    size_t finding = 0;
    const std::byte* at = nullptr;
    std::array<std::byte, 16> before{};
    uint32_t bytes = 0;
  };
  std::vector<EqualValue> open_values;

 private:
  const Program* program_ = nullptr;
  std::string kernel_;
  std::vector<std::vector<uint16_t>> numbers_;  // of each function's instructions
  std::vector<MemoryInstruction> instructions_;
  std::map<const Block*, BlockRaces*> blocks_;
  std::vector<Finding> findings_;
  std::map<std::pair<size_t, size_t>, size_t> index_;
  std::string place_of(const InstructionOrigin& origin) const;
  mutable gpu::FindingList found_;  // of findings_, made when it is asked for
};

}  // namespace assay::vgpu
