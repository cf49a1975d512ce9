// SPDX-License-Identifier: MIT
#include "vgpu/machine/cluster.hpp"

#include <algorithm>

namespace assay::vgpu {

Cluster::Cluster(const Grid& grid) : grid_(grid) {
  const auto size = static_cast<uint32_t>(grid.launch.cluster.volume());
  for (uint32_t rank = 0; rank < size; ++rank) blocks_.push_back(std::make_unique<Block>(grid, *this, rank));
}

void Cluster::start(uint64_t index) {
  const Dim3& cluster = grid_.launch.cluster;
  const Dim3& grid = grid_.launch.grid;
  const uint64_t clusters_x = grid.x / cluster.x;
  const uint64_t clusters_y = grid.y / cluster.y;
  const uint64_t first_x = index % clusters_x * cluster.x;
  const uint64_t first_y = index / clusters_x % clusters_y * cluster.y;
  const uint64_t first_z = index / clusters_x / clusters_y * cluster.z;
  live_threads_ = static_cast<uint32_t>(grid_.launch.block.volume()) * size();
  arrived_ = 0;
  generation_ = 0;
  for (uint32_t rank = 0; rank < size(); ++rank) {
    const uint64_t x = first_x + rank % cluster.x;
    const uint64_t y = first_y + rank / cluster.x % cluster.y;
    const uint64_t z = first_z + rank / cluster.x / cluster.y;
    blocks_[rank]->start((z * grid.y + y) * grid.x + x);
  }
}

Block::Outcome Cluster::run(bool may_suspend) {
  return size() == 1 ? blocks_.front()->run(may_suspend) : run_together(may_suspend);
}

// Blocks are interleaved. One that can do nothing may wait for another; only when none can, the wait is in vain.
Block::Outcome Cluster::run_together(bool may_suspend) {
  constexpr int kRoundsBeforeSuspension = 4;
  for (int round = 0;; ++round) {
    bool any_left = false;
    bool any_ran = false;
    for (const auto& block : blocks_) {
      if (block->finished()) continue;
      any_left = true;
      const uint64_t before = block->instructions_;
      if (block->run(true) == Block::Outcome::faulted) return Block::Outcome::faulted;
      any_ran |= block->instructions_ != before;
    }
    if (!any_left) return Block::Outcome::finished;
    if (!any_ran && may_suspend && waits_for_memory()) return Block::Outcome::waiting;
    if (!any_ran) {
      bool go_on = false;
      for (const auto& block : blocks_) go_on |= block->give_up_waiting();
      if (!go_on) {
        const auto left = std::ranges::find_if(blocks_, [](const auto& block) { return !block->finished(); });
        (*left)->report_deadlock();
        return Block::Outcome::faulted;
      }
    }
    if (may_suspend && round >= kRoundsBeforeSuspension) return Block::Outcome::suspended;
  }
}

bool Cluster::waits_for_memory() const {
  return std::ranges::any_of(blocks_, [](const auto& block) { return block->waits_for_memory(); });
}

bool Cluster::memory_changed() const {
  return std::ranges::any_of(blocks_, [](const auto& block) { return block->memory_changed(); });
}

bool Cluster::give_up_waiting() {
  bool any = false;
  for (const auto& block : blocks_) any |= block->give_up_waiting();
  return any;
}

void Cluster::report_deadlock(std::string_view why) {
  const auto polls = std::ranges::find_if(blocks_, [](const auto& block) { return block->waits_for_memory(); });
  (polls != blocks_.end() ? *polls : blocks_.front())->report_deadlock(why);
}

Block* Cluster::owner(const std::byte* pointer) {
  for (const auto& block : blocks_) {
    if (pointer >= block->shared() && pointer < block->shared() + block->shared_bytes()) return block.get();
  }
  return nullptr;
}

void Cluster::arrive(uint32_t threads) {
  arrived_ += threads;
  complete_if_all_arrived();
}

void Cluster::threads_ended(uint32_t threads) {
  live_threads_ -= threads;
  complete_if_all_arrived();
}

void Cluster::complete_if_all_arrived() {
  if (arrived_ == 0 || arrived_ < live_threads_) return;
  arrived_ = 0;
  ++generation_;
  for (const auto& block : blocks_) {
    block->tell([](BlockObserver& observer) { observer.cluster_completed(); });
    block->wake_from_cluster_barrier();
  }
}

}  // namespace assay::vgpu
