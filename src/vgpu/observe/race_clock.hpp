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
    return stamp <= known_of_any(warp) ? Lanewise::some : Lanewise::none;
  }
  // What is known of every lane of the warp, at least.
  Stamp known_of_all(size_t warp) const { return all(warp); }
  // The most that is known of one of its lanes.
  Stamp known_of_any(size_t warp) const {
    Stamp most = all(warp);
    for (const auto& [index, lanes] : some_) {
      for (size_t lane = 0; index == warp && lane < lanes.size(); ++lane)
        most = most < lanes[lane] ? lanes[lane] : most;
    }
    return most;
  }
  // `existing`: all lanes that the warp has.
  void learn(size_t warp, LaneMask lanes, LaneMask existing, Stamp stamp);
  void join(const BlockClock& other);
  // What the other one knows of this warp, and that alone.
  void set(size_t warp, const BlockClock& other);
  bool is_same_of(size_t warp, const BlockClock& other) const;
  // Whether joining the other one would add nothing. False if that is not seen at once.
  bool holds(const BlockClock& other) const;

 private:
  using Lanes = std::array<Stamp, kLanes>;
  Stamp all(size_t warp) const { return warp < all_.size() ? all_[warp] : 0; }
  Lanes* find(size_t warp);
  const Lanes* find(size_t warp) const { return const_cast<BlockClock*>(this)->find(warp); }

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
  bool holds(const Knowledge& other) const;  // false if that is not seen at once
  BlockClock& mutable_own();                 // of this one alone from now on
};

// Stamps that were looked up in the clocks of other blocks. Where lanes access what many blocks wrote, in no order, the
// clocks do not fit into the processor's first cache; these do.
class RecentStamps {
 public:
  // What follows is about these clocks.
  void use(const std::shared_ptr<const BlockClocks>& clocks) {
    if (clocks != of_ || entries_.empty()) begin(clocks);
  }
  enum class Answer : uint8_t { unknown, before, unordered };  // unknown: look it up
  Answer ask(uint32_t block, uint32_t warp, Stamp stamp) const {
    const Entry& entry = entries_[place(block, warp)];
    if (entry.block_and_warp != key(block, warp) || entry.time != time_) return Answer::unknown;
    if (stamp <= entry.all) return Answer::before;
    return stamp <= entry.any ? Answer::unknown : Answer::unordered;
  }
  void add(uint32_t block, uint32_t warp, const BlockClock* clock) {
    Entry& entry = entries_[place(block, warp)];
    entry = {key(block, warp), time_, clock != nullptr ? clock->known_of_all(warp) : 0,
             clock != nullptr ? clock->known_of_any(warp) : 0};
  }

 private:
  static constexpr size_t kEntries = 1024;
  struct Entry {
    uint32_t block_and_warp = 0;
    uint32_t time = 0;  // of other clocks
    Stamp all = 0;      // is known of every lane of the warp
    Stamp any = 0;      // of one of its lanes
  };
  static uint32_t key(uint32_t block, uint32_t warp) { return block << 8 | warp; }
  // Neighbouring blocks mostly have a few warps each.
  static size_t place(uint32_t block, uint32_t warp) { return (block * 8 + warp) % kEntries; }
  void begin(const std::shared_ptr<const BlockClocks>& clocks);

  std::shared_ptr<const BlockClocks> of_;
  uint32_t time_ = 0;
  std::vector<Entry> entries_;
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
