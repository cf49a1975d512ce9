// SPDX-License-Identifier: MIT
// Vector clocks of the race check, folded as a GPU is: what a thread knows of a warp is mostly the same for all lanes
// of it, and what the lanes of a warp know is mostly the same too. A warp counts up a stamp whenever lanes of it
// synchronise; an access carries the stamp of its time, and is known to those who synchronised with its thread later.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

using Stamp = uint32_t;

// What is known of the threads of one block: everything that a lane did up to a stamp.
class BlockClock {
 public:
  bool knows(size_t warp, int lane, Stamp stamp) const {
    if (warp < all_.size() && stamp <= all_[warp]) return true;
    for (const auto& [index, lanes] : some_) {
      if (index == warp) return stamp <= lanes[static_cast<size_t>(lane)];
    }
    return false;
  }
  // The same for all lanes of the warp; some: it differs.
  enum class Lanewise : uint8_t { none, all, some };
  Lanewise knows(size_t warp, Stamp stamp) const {
    if (warp < all_.size() && stamp <= all_[warp]) return Lanewise::all;
    for (const auto& [index, lanes] : some_) {
      if (index == warp) return Lanewise::some;
    }
    return Lanewise::none;
  }
  // `existing`: all lanes that the warp has.
  void learn(size_t warp, LaneMask lanes, LaneMask existing, Stamp stamp);
  void join(const BlockClock& other);

 private:
  using Lanes = std::array<Stamp, kLanes>;
  Stamp all(size_t warp) const { return warp < all_.size() ? all_[warp] : 0; }
  Lanes* find(size_t warp);

  std::vector<Stamp> all_;                      // of each warp: what is known of every lane
  std::vector<std::pair<size_t, Lanes>> some_;  // of warps of whose lanes more is known, and not the same of all
};

// Clocks of blocks, by their numbers. Behind a barrier of the grid a thread knows all blocks but its own, and mostly it
// knows neighbours: the place is guessed first. Each access of what another block wrote looks here.
class BlockClocks {
 public:
  using Entry = std::pair<uint32_t, std::shared_ptr<const BlockClock>>;

  // nullptr: nothing is known of the block.
  const std::shared_ptr<const BlockClock>* find(uint32_t block) const {
    if (entries_.empty() || block < entries_.front().first) return nullptr;
    const size_t guess = block - entries_.front().first;
    if (guess < entries_.size() && entries_[guess].first == block) return &entries_[guess].second;
    if (guess - 1 < entries_.size() && entries_[guess - 1].first == block) return &entries_[guess - 1].second;
    return search(block);
  }
  void set(uint32_t block, std::shared_ptr<const BlockClock> clock);
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  const std::shared_ptr<const BlockClock>* search(uint32_t block) const;

  std::vector<Entry> entries_;  // in ascending order
};

// What a thread knows of its own block and of others.
struct Knowledge {
  using Others = BlockClocks;

  std::shared_ptr<BlockClock> own;
  std::shared_ptr<const Others> others;  // nullptr: of none

  bool is_same(const Knowledge& other) const { return own == other.own && others == other.others; }
  BlockClock& mutable_own();  // of this one alone from now on
};

// What a thread hands on: its knowledge, as seen from anywhere.
struct Published {
  uint32_t block = 0;
  Knowledge knowledge;
  explicit operator bool() const { return knowledge.own != nullptr; }
};

// `into` belongs to a thread of `block`.
void join(Knowledge& into, uint32_t block, const Published& from);
void join(Published& into, const Published& from);

}  // namespace assay::vgpu
