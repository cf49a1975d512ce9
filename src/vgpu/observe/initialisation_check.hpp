// SPDX-License-Identifier: MIT
// Finds reads of shared memory that nothing has written yet, or that an asynchronous copy is to fill and
// has not been waited for. On a GPU such a read gives what an earlier block left there, often the right value.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "gpu/finding_list.hpp"
#include "vgpu/machine/observer.hpp"

namespace assay::vgpu {

// What is known of each byte of a block's shared memory.
class SharedState {
 public:
  enum Byte : uint8_t { unwritten, written, under_way };

  explicit SharedState(uint64_t bytes) : bytes_(bytes, unwritten) {}

  bool covers(uint64_t offset, uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }
  // The callers ask covers() before.
  void set(uint64_t offset, uint64_t count, Byte state);
  // Of the bytes that `used` has a bit for, and those from the 33rd on; the end of the range: all can be read.
  uint64_t first_unreadable(uint64_t offset, uint64_t count, uint32_t used) const;
  Byte at(uint64_t offset) const { return bytes_[offset]; }

 private:
  std::vector<Byte> bytes_;
};

struct InstructionId {
  size_t function = 0;     // in the program
  size_t instruction = 0;  // in the function
  auto operator<=>(const InstructionId&) const = default;
};

class InitialisationCheck final : public Observer {
 public:
  // Gives zeros to the instructions that read what nothing has written, to find out which of them have an effect.
  struct Zeros {
    std::optional<InstructionId> except;
  };
  // Reads `without_effect` are not reported.
  explicit InitialisationCheck(std::set<InstructionId> without_effect = {}, std::optional<Zeros> zeros = {})
      : without_effect_(std::move(without_effect)), zeros_(zeros) {}

  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  // Of a block that is running, in the same cluster as the one that asks; nullptr: of no such block.
  SharedState* state_of(const Block& block);
  const gpu::FindingList& found() const { return found_; }
  const std::set<InstructionId>& unwritten_reads() const { return unwritten_reads_; }  // that read what nothing wrote
  bool has_no_effect(InstructionId id) const { return without_effect_.contains(id); }
  bool is_zeroed(InstructionId id) const { return zeros_.has_value() && zeros_->except != id; }

 private:
  const std::set<InstructionId> without_effect_;
  const std::optional<Zeros> zeros_;
  std::mutex mutex_;                             // clusters run on threads of their own
  std::map<const Block*, SharedState*> states_;  // of the blocks that are running
  gpu::FindingList found_;
  std::set<InstructionId> unwritten_reads_;
};

}  // namespace assay::vgpu
