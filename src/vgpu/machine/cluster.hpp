// SPDX-License-Identifier: MIT
// A cluster: blocks that run together and reach each other's shared memory. Without clusters every block is one of its
// own. It runs on one host thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/machine/block.hpp"

namespace assay::vgpu {

// An address in the shared memory of another block: its rank, counted from 1, above the offset. Ordinary addresses,
// which are those of the own block, have none.
inline constexpr int kRankAt = 24;
inline constexpr uint64_t kRankOffsetMask = (uint64_t{1} << kRankAt) - 1;

class Cluster {
 public:
  explicit Cluster(const Grid& grid);

  void start(uint64_t index);
  // Runs until all blocks have ended or, when `may_suspend`, until they have had their turn or wait for other clusters.
  Block::Outcome run(bool may_suspend);

  std::vector<std::unique_ptr<Block>>& blocks() { return blocks_; }
  uint32_t size() const { return static_cast<uint32_t>(blocks_.size()); }
  Block* block(uint64_t rank) { return rank < blocks_.size() ? blocks_[rank].get() : nullptr; }
  // The block in whose shared memory this lies; nullptr: none.
  Block* owner(const std::byte* pointer);

  // --- for the grid
  bool waits_for_memory() const;
  bool memory_changed() const;
  bool give_up_waiting();
  void report_deadlock(std::string_view why);

  // --- barrier.cluster
  uint32_t generation() const { return generation_; }  // phases that are complete
  void arrive(uint32_t threads);
  void threads_ended(uint32_t threads);

 private:
  Block::Outcome run_together(bool may_suspend);
  void complete_if_all_arrived();

  const Grid& grid_;
  std::vector<std::unique_ptr<Block>> blocks_;
  uint32_t live_threads_ = 0;
  uint32_t arrived_ = 0;
  uint32_t generation_ = 0;
};

}  // namespace assay::vgpu
