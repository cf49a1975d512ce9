// SPDX-License-Identifier: MIT
// What orders the accesses of a block's threads: barriers, mbarriers, copies that arrive, collectives, fences, and
// release and acquire by places in memory. Each hands knowledge from those who come before to those who come after.
#include <bit>
#include <utility>

#include "vgpu/machine/cluster.hpp"
#include "vgpu/observe/block_races.hpp"

namespace assay::vgpu {

Knowledge& BlockRaces::knowledge(const Warp& warp, int lane) {
  WarpState& state = state_of(warp);
  Knowledge& known = state.uniform ? state.all : (*state.lanes)[static_cast<size_t>(lane)];
  if (known.own == nullptr) known.own = std::make_shared<BlockClock>();
  return known;
}

void BlockRaces::part(const Warp& warp) {
  WarpState& state = state_of(warp);
  if (!state.uniform) return;
  state.lanes = std::make_unique<std::array<Knowledge, kLanes>>();
  state.lanes->fill(state.all);
  state.uniform = false;
}

void BlockRaces::unite(const Warp& warp) {
  WarpState& state = state_of(warp);
  if (state.uniform || warp.live_lanes() == 0) return;
  const Knowledge& first = (*state.lanes)[static_cast<size_t>(std::countr_zero(warp.live_lanes()))];
  for (LaneMask left = warp.live_lanes(); left != 0; left &= left - 1) {
    if (!(*state.lanes)[static_cast<size_t>(std::countr_zero(left))].is_same(first)) return;
  }
  state.all = first;
  state.lanes.reset();
  state.uniform = true;
}

// What the lanes know together, and what they have done until now.
Published BlockRaces::published(const Warp& warp, LaneMask lanes) {
  WarpState& state = state_of(warp);
  Published result{number_, knowledge(warp, std::countr_zero(lanes))};
  if (!state.uniform) {
    for (LaneMask left = lanes & (lanes - 1); left != 0; left &= left - 1) {
      const Knowledge& other = knowledge(warp, std::countr_zero(left));
      if (!other.is_same(result.knowledge)) join(result.knowledge, number_, Published{number_, other});
    }
  }
  result.knowledge.mutable_own().learn(index_of(warp), lanes, warp.existing_lanes(), state.now++);
  return result;
}

// The lanes know this from now on, which holds all that they knew.
void BlockRaces::assign(const Warp& warp, LaneMask lanes, const Published& what) {
  WarpState& state = state_of(warp);
  const bool ours = what.block == number_;
  if (ours && lanes == warp.live_lanes()) {
    state.all = what.knowledge;
    state.lanes.reset();
    state.uniform = true;
    return;
  }
  part(warp);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    Knowledge& known = (*state.lanes)[static_cast<size_t>(std::countr_zero(left))];
    if (ours) {
      known = what.knowledge;
    } else {
      join(known, number_, what);
    }
  }
  unite(warp);
}

// Lanes that knew the same and learn the same know the same, and share it.
void BlockRaces::learn(const Warp& warp, int lane, const Published& what) {
  if (!what) return;
  part(warp);
  Knowledge& known = (*state_of(warp).lanes)[static_cast<size_t>(lane)];
  if (!known.is_same(learned_.before) || !what.knowledge.is_same(learned_.what.knowledge)) {
    learned_.before = known;
    learned_.what = what;
    join(known, number_, what);
    learned_.after = known;
  } else {
    known = learned_.after;
  }
  if (warp.live_lanes() >> lane == 1) unite(warp);  // the last one
}

void BlockRaces::take_pending(const Warp& warp, LaneMask lanes, bool wide) {
  WarpState& state = state_of(warp);
  if (state.pending == nullptr) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Pending& pending = (*state.pending)[static_cast<size_t>(lane)];
    learn(warp, lane, pending.near);
    if (wide) learn(warp, lane, pending.wide);
    pending = {};
  }
}

// "__threadfence(); __syncthreads(); if (first) flag = 1": every thread has made its own writes visible to the grid
// before the barrier, so that a strong write behind it hands them on, though its own thread fences no more.
void BlockRaces::join_fenced(Published& into, const Warp& warp, LaneMask lanes) {
  WarpState& state = state_of(warp);
  join(into, state.met_fenced);
  if (state.fences == nullptr) return;
  for (LaneMask left = lanes; left != 0;) {
    const Fence& first = (*state.fences)[static_cast<size_t>(std::countr_zero(left))];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      const Fence& fence = (*state.fences)[static_cast<size_t>(std::countr_zero(rest))];
      const bool alike = fence.valid == first.valid && fence.wide == first.wide && fence.stamp == first.stamp &&
                         fence.knowledge.is_same(first.knowledge);
      if (alike) same |= rest & (~rest + 1);
    }
    left &= ~same;
    if (!first.valid || !first.wide) continue;
    Published fenced{number_, first.knowledge};
    fenced.knowledge.mutable_own().learn(index_of(warp), same, warp.existing_lanes(), first.stamp);
    join(into, fenced);
  }
}

SynchronisingPlace* BlockRaces::place(BlockRaces* owner, uint64_t address, bool make) {
  auto& map = owner != nullptr ? owner->places : check_.places;
  if (make) return &map[address];
  const auto found = map.find(address);
  return found != map.end() ? &found->second : nullptr;
}

void BlockRaces::acquire(const Warp& warp, int lane, const MemoryOrder& order, BlockRaces* owner, uint64_t address) {
  const SynchronisingPlace* const from = place(owner, address, false);
  if (from == nullptr) return;
  const bool near = from->near && from->near.block == number_;
  if (order.acquires) {
    if (near) learn(warp, lane, from->near);
    if (order.wide) learn(warp, lane, from->wide);
    return;
  }
  WarpState& state = state_of(warp);
  if (state.pending == nullptr) state.pending = std::make_unique<std::array<Pending, kLanes>>();
  Pending& pending = (*state.pending)[static_cast<size_t>(lane)];
  if (near) join(pending.near, from->near);
  if (order.wide) join(pending.wide, from->wide);
}

void BlockRaces::release(const Warp& warp, int lane, const MemoryOrder& order, BlockRaces* owner, uint64_t address) {
  WarpState& state = state_of(warp);
  Published what;
  bool wide = order.wide;
  if (order.releases) {
    what = published(warp, LaneMask{1} << lane);
  } else if (state.fences != nullptr && (*state.fences)[static_cast<size_t>(lane)].valid) {
    const Fence& fence = (*state.fences)[static_cast<size_t>(lane)];
    what = {number_, fence.knowledge};
    what.knowledge.mutable_own().learn(index_of(warp), LaneMask{1} << lane, warp.existing_lanes(), fence.stamp);
    wide = wide && fence.wide;
  }
  const Published& met = state.met_fenced;
  SynchronisingPlace* const to = place(owner, address, static_cast<bool>(what) || static_cast<bool>(met));
  if (to == nullptr) return;
  // A store ends what earlier ones have handed on; an atomic adds to it.
  if (!order.reads_and_writes) *to = {};
  if (!what && !met) return;
  if (to->near && to->near.block != number_) to->near = {};
  if (what) join(to->near, what);
  join(to->near, met);
  if (what && wide) join(to->wide, what);
  if (order.wide) join(to->wide, met);
}

void BlockRaces::synchronised(const Warp& warp, LaneMask lanes) {
  WarpState& state = state_of(warp);
  state.meetings.add(lanes, warp.existing_lanes(), state.now);
  if (state.uniform && lanes == warp.live_lanes()) {
    state.all.mutable_own().learn(index_of(warp), lanes, warp.existing_lanes(), state.now++);
    return;
  }
  Published met = published(warp, lanes);
  assign(warp, lanes, met);
}

void BlockRaces::exchanged(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  WarpState& state = state_of(warp);
  state.meetings.add(lanes, warp.existing_lanes(), state.now);
  state.exchanges[state.next_exchange++ % state.exchanges.size()] = {lanes, state.now++, warp.frame().function,
                                                                     &instruction};
  share_acquired(warp, lanes);
}

// What lanes have learned of other warps, by an acquire or an mbarrier, holds for all that they exchange values with
// since: the lanes of a warp see memory alike. What lanes of this warp did, an exchange does not order.
void BlockRaces::share_acquired(const Warp& warp, LaneMask lanes) {
  if (state_of(warp).uniform || (lanes & (lanes - 1)) == 0) return;
  const size_t index = index_of(warp);
  const Knowledge first = knowledge(warp, std::countr_zero(lanes));
  Published together{number_, first};
  Knowledge last = first;  // mostly neighbours know the same
  bool differ = false;
  for (LaneMask left = lanes & (lanes - 1); left != 0; left &= left - 1) {
    const Knowledge& other = knowledge(warp, std::countr_zero(left));
    if (other.is_same(last)) continue;
    differ = true;
    last = other;
    join(together, Published{number_, other});
  }
  if (!differ) return;
  together.knowledge.mutable_own().set(index, *first.own);
  last = first;
  Knowledge after = together.knowledge;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    Knowledge& known = knowledge(warp, std::countr_zero(left));
    if (!known.is_same(last)) {
      last = known;
      after = together.knowledge;
      if (!after.own->is_same_of(index, *last.own)) after.mutable_own().set(index, *last.own);
    }
    known = after;
  }
  unite(warp);
}

void BlockRaces::barrier_arrived(int barrier, const Warp& warp, LaneMask lanes, bool waits) {
  BarrierState& state = barriers_[static_cast<size_t>(barrier)];
  take_pending(warp, lanes, true);  // what a relaxed atomic has seen, the barrier hands on
  join(state.met, published(warp, lanes));
  join_fenced(state.fenced, warp, lanes);
  if (waits) state.waiting.push_back({&warp, lanes});
}

void BlockRaces::barrier_completed(int barrier) {
  BarrierState state = std::exchange(barriers_[static_cast<size_t>(barrier)], {});
  for (const auto& [warp, lanes] : state.waiting) {
    assign(*warp, lanes, state.met);
    join(state_of(*warp).met_fenced, state.fenced);
  }
}

void BlockRaces::fenced(const Warp& warp, const Instruction& instruction) {
  const MemoryOrder order = check_.instruction(check_.number_of(*warp.frame().function, instruction)).order;
  if (!order.strong) return;  // of proxies
  take_pending(warp, warp.mask, order.wide);
  WarpState& state = state_of(warp);
  if (state.fences == nullptr) state.fences = std::make_unique<std::array<Fence, kLanes>>();
  for (LaneMask left = warp.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Fence& fence = (*state.fences)[static_cast<size_t>(lane)];
    fence.knowledge = knowledge(warp, lane);
    fence.stamp = state.now;
    fence.wide = order.wide;
    fence.valid = true;
  }
  ++state.now;
}

void BlockRaces::mbarrier_initialised(uint32_t address, const Warp&, int) {
  mbarriers_.erase(address);
}

void BlockRaces::mbarrier_arrived(uint32_t address, const Warp& warp, int lane) {
  BlockRaces* const from = check_.of(&warp.block());
  if (from != nullptr) join(mbarriers_[address].arriving, from->published(warp, LaneMask{1} << lane));
}

void BlockRaces::mbarrier_completed(uint32_t address) {
  MbarrierState& state = mbarriers_[address];
  join(state.complete, std::exchange(state.arriving, {}));
}

void BlockRaces::mbarrier_awaited(uint32_t address, const Warp& warp, int lane) {
  const auto found = mbarriers_.find(address);
  if (found != mbarriers_.end()) learn(warp, lane, found->second.complete);
}

// A copy has arrived in this block's shared memory: `mbarrier` tells of it, or its thread has waited.
void BlockRaces::landed(uint64_t offset, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier) {
  check_.settle();
  uint32_t who = 0;
  Stamp stamp = 0;
  if (mbarrier != nullptr) {
    MbarrierState& state = mbarriers_[*mbarrier];
    if (state.unit == 0) state.unit = next_unit_++;
    stamp = ++state.copies;
    const uint32_t unit_warp = kFirstUnit + state.unit / kLanes % kUnits;
    who = AccessRecord::name(number_, unit_warp, state.unit % kLanes);
    Published copies{number_, {}};
    copies.knowledge.mutable_own().learn(unit_warp, LaneMask{1} << state.unit % kLanes, kAllLanes, stamp);
    join(state.arriving, copies);
    join(state.complete, copies);
  } else if (warp != nullptr) {
    const BlockRaces* const issuer = check_.of(&warp->block());
    if (issuer == nullptr) return;
    who = AccessRecord::name(issuer->number_, static_cast<uint32_t>(warp->index()), static_cast<uint32_t>(lane));
    stamp = issuer->warps_[static_cast<size_t>(warp->index())].now;
  }
  shared.tidy();
  shared.complete_copies(offset, bytes, who, stamp & AccessRecord::kUnderWay, Shadow::Copies::all);
}

void BlockRaces::cluster_arrived(const Warp& warp, LaneMask lanes) {
  join(cluster_arriving_, published(warp, lanes));
}

// The barrier completes once for each block of the cluster: the first call joins the clocks of all blocks.
void BlockRaces::cluster_completed() {
  Published arrived;
  for (const auto& block : block_.cluster().blocks()) {
    if (BlockRaces* const other = check_.of(block.get())) join(arrived, std::exchange(other->cluster_arriving_, {}));
  }
  if (!arrived) return;
  join(arrived, cluster_complete_);
  for (const auto& block : block_.cluster().blocks()) {
    BlockRaces* const other = check_.of(block.get());
    if (other == nullptr) continue;
    other->cluster_complete_ = arrived;
    other->cluster_view_ = {};
    join(other->cluster_view_, other->number_, arrived);
  }
}

// Mostly the barrier knows all that the warp knows: then the warps share what it knows.
void BlockRaces::cluster_awaited(const Warp& warp, LaneMask lanes) {
  WarpState& state = state_of(warp);
  if (state.uniform && lanes == warp.live_lanes() && cluster_view_.holds(state.all)) {
    state.all = cluster_view_;
    return;
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1) learn(warp, std::countr_zero(left), cluster_complete_);
  unite(warp);
}

}  // namespace assay::vgpu
