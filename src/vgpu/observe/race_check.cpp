// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_check.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "base/text.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu {

MemoryOrder memory_order_of(std::string_view opcode) {
  const auto parts = split(opcode, '.');
  const auto has = [&](std::string_view name) { return std::ranges::find(parts, name) != parts.end(); };
  MemoryOrder order;
  const bool fence = (parts.front() == "fence" || parts.front() == "membar") && !has("proxy") && !has("mbarrier_init");
  order.reads_and_writes = parts.front() == "atom" || parts.front() == "red" || opcode.starts_with("cp.reduce");
  order.strong = order.reads_and_writes || fence || has("volatile") || has("relaxed") || has("acquire") ||
                 has("acq_rel") || has("release") || has("mmio");
  if (parts.front() == "fence" && !fence) order.strong = false;
  order.wide = order.strong && !has("cta");
  order.acquires = order.strong && (has("acquire") || has("acq_rel") || fence);
  order.noncoherent = parts.front() == "ld" && has("nc");
  order.releases = order.strong && (has("release") || has("acq_rel") || fence);
  return order;
}

// What a block's threads know. Lanes of a warp that know the same share it.
class BlockRaces final : public BlockObserver {
 public:
  BlockRaces(RaceCheck& check, const Block& block)
      : check_(check),
        block_(block),
        number_(static_cast<uint32_t>(block.linear_index()) & kMostBlocks),
        warps_((block.grid().launch.block.volume() + kLanes - 1) / kLanes) {}

  bool follows_order() const override { return true; }
  Shadow shared;
  std::unordered_map<uint64_t, SynchronisingPlace> places;  // in this block's shared memory

  LaneMask access(const Access& access) override {
    check_.settle();
    if (access.space != Space::global && access.space != Space::shared) return access.lanes;
    if (access.kind == AccessKind::mbarrier || access.kind == AccessKind::none) return access.lanes;
    const size_t number = check_.number_of(*access.warp.frame().function, access.instruction);
    const MemoryOrder& order = check_.instruction(number).order;
    const bool writes = access.kind != AccessKind::load && access.kind != AccessKind::async_read;
    const bool shared_here = access.space == Space::shared && access.owner == &block_;
    BlockRaces* const owner = shared_here ? this : access.space == Space::shared ? check_.of(access.owner) : nullptr;
    if (access.space == Space::shared && owner == nullptr) return access.lanes;
    Shadow& place = owner != nullptr ? owner->shared : check_.global;
    if (access.kind == AccessKind::async_write && access.space == Space::global) note_store(access);
    if (order.strong) {
      access_strongly(access, number, order, writes, owner, place);
    } else if (writes) {
      access_weakly<true>(access, number, order, place);
    } else {
      access_weakly<false>(access, number, order, place);
    }
    return access.lanes;
  }

  // A wait for bulk stores: what they wrote to global memory is a write of their thread at this time.
  void grouped(const Warp& warp, const Instruction& instruction) override {
    const auto kind = check_.instruction(check_.number_of(*warp.frame().function, instruction)).store_group;
    if (kind == RaceCheck::StoreGroup::none) return;
    WarpState& state = state_of(warp);
    if (kind == RaceCheck::StoreGroup::commit) {
      for (LaneMask left = warp.mask; left != 0; left &= left - 1)
        ++state.store_groups[static_cast<size_t>(std::countr_zero(left))];
      return;
    }
    std::erase_if(state.open_stores, [&](const OpenStore& store) {
      const bool waited = (warp.mask >> store.lane & 1) != 0 && store.group + uint64_t{instruction.detail} <
                                                                    state.store_groups[static_cast<size_t>(store.lane)];
      if (waited) complete(warp, store);
      return waited;
    });
    ++state.now;
  }

  // --- what orders

  void synchronised(const Warp& warp, LaneMask lanes) override {
    WarpState& state = state_of(warp);
    if (state.uniform && lanes == warp.live_lanes()) {
      state.all.mutable_own().learn(index_of(warp), lanes, warp.existing_lanes(), state.now++);
      return;
    }
    Published met = published(warp, lanes);
    assign(warp, lanes, met);
  }

  void barrier_arrived(int barrier, const Warp& warp, LaneMask lanes, bool waits) override {
    BarrierState& state = barriers_[static_cast<size_t>(barrier)];
    take_pending(warp, lanes, true);  // what a relaxed atomic has seen, the barrier hands on
    join(state.met, published(warp, lanes));
    join_fenced(state.fenced, warp, lanes);
    if (waits) state.waiting.push_back({&warp, lanes});
  }

  void barrier_completed(int barrier) override {
    BarrierState state = std::exchange(barriers_[static_cast<size_t>(barrier)], {});
    for (const auto& [warp, lanes] : state.waiting) {
      assign(*warp, lanes, state.met);
      join(state_of(*warp).met_fenced, state.fenced);
    }
  }

  void fenced(const Warp& warp, const Instruction& instruction) override {
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

  void mbarrier_initialised(uint32_t address, const Warp&, int) override { mbarriers_.erase(address); }
  void mbarrier_arrived(uint32_t address, const Warp& warp, int lane) override {
    BlockRaces* const from = check_.of(&warp.block());
    if (from != nullptr) join(mbarriers_[address].arriving, from->published(warp, LaneMask{1} << lane));
  }
  void mbarrier_completed(uint32_t address) override {
    MbarrierState& state = mbarriers_[address];
    join(state.complete, std::exchange(state.arriving, {}));
  }
  void mbarrier_awaited(uint32_t address, const Warp& warp, int lane) override {
    const auto found = mbarriers_.find(address);
    if (found != mbarriers_.end()) learn(warp, lane, found->second.complete);
  }
  // A copy has arrived in this block's shared memory: `mbarrier` tells of it, or its thread has waited.
  void landed(uint64_t offset, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier) override {
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
    shared.for_each_cell(offset, bytes, [&](ShadowCell& cell, uint64_t, uint64_t) {
      if (cell.write.stamp() != AccessRecord::kUnderWay) return;  // overwritten since
      cell.write.who = who;
      cell.write.when = (cell.write.when & ~AccessRecord::kUnderWay) | (stamp & AccessRecord::kUnderWay);
    });
  }
  void cluster_arrived(const Warp& warp, LaneMask lanes) override {
    Published arrived = published(warp, lanes);
    for (const auto& block : block_.cluster().blocks()) {
      if (BlockRaces* const other = check_.of(block.get())) join(other->cluster_arriving_, arrived);
    }
  }
  void cluster_completed() override { join(cluster_complete_, std::exchange(cluster_arriving_, {})); }
  void cluster_awaited(const Warp& warp, LaneMask lanes) override {
    for (LaneMask left = lanes; left != 0; left &= left - 1) learn(warp, std::countr_zero(left), cluster_complete_);
    unite(warp);
  }

 private:
  // A bulk store that may still write to global memory.
  struct OpenStore {
    int lane;
    uint32_t group;  // of its lane
    uint64_t address;
    uint64_t bytes;
  };
  void note_store(const Access& access) {
    WarpState& state = state_of(access.warp);
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint32_t group = state.store_groups[static_cast<size_t>(lane)];
      const uint64_t address = access.addresses[lane];
      if (!state.open_stores.empty()) {
        OpenStore& last = state.open_stores.back();
        if (last.lane == lane && last.group == group && last.address + last.bytes == address) {
          last.bytes += access.bytes;
          continue;
        }
      }
      state.open_stores.push_back({lane, group, address, access.bytes});
    }
  }
  void complete(const Warp& warp, const OpenStore& store) {
    const Stamp now = state_of(warp).now & AccessRecord::kUnderWay;
    const uint32_t who =
        AccessRecord::name(number_, static_cast<uint32_t>(warp.index()), static_cast<uint32_t>(store.lane));
    check_.global.for_each_cell(store.address - kGlobalWindow, store.bytes, [&](ShadowCell& cell, uint64_t, uint64_t) {
      if (cell.write.who != who || cell.write.stamp() != AccessRecord::kUnderWay) return;  // overwritten since
      cell.write.when = (cell.write.when & ~AccessRecord::kUnderWay) | now;
    });
  }

  template <bool Writes>
  void access_weakly(const Access& access, size_t number, const MemoryOrder& order, Shadow& place) {
    const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
    const WarpState& state = state_of(access.warp);
    Attempt attempt{access,
                    0,
                    number,
                    order,
                    knowledge(access.warp, std::countr_zero(access.lanes)),
                    record(access, 0, number, order)};
    const uint32_t first_lane = attempt.record.who;
    uint64_t last_address = ~uint64_t{0};
    int same = 0;  // lanes in a row that read one address
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t address = access.addresses[lane];
      if (address < base) continue;
      // Two lanes tell all of a broadcast: what one of them wrote itself, the other one does not know.
      if (!Writes && state.uniform) {
        same = address == last_address ? same + 1 : 0;
        last_address = address;
        if (same > 1) continue;
      }
      attempt.lane = lane;
      attempt.record.who = first_lane + static_cast<uint32_t>(lane);
      if (!state.uniform) attempt.use(knowledge(access.warp, lane));
      place.for_each_cell(address - base, access.bytes, [&](ShadowCell& cell, uint64_t at, uint64_t bytes) {
        if constexpr (Writes) {
          write(attempt, cell, at + base, static_cast<uint32_t>(bytes));
        } else {
          read(attempt, cell, at + base, static_cast<uint32_t>(bytes));
        }
      });
    }
  }
  // Each lane may learn something from what it reads, and hand on what it knows by what it writes.
  void access_strongly(const Access& access, size_t number, const MemoryOrder& order, bool writes, BlockRaces* owner,
                       Shadow& place) {
    const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t address = access.addresses[lane];
      if (address < base) continue;
      if (!writes) acquire(access.warp, lane, order, owner, address);
      Attempt attempt{access, lane, number, order, knowledge(access.warp, lane), record(access, lane, number, order)};
      place.for_each_cell(address - base, access.bytes, [&](ShadowCell& cell, uint64_t at, uint64_t bytes) {
        if (writes) {
          write(attempt, cell, at + base, static_cast<uint32_t>(bytes));
        } else {
          read(attempt, cell, at + base, static_cast<uint32_t>(bytes));
        }
      });
      if (!writes) continue;
      if (order.reads_and_writes) acquire(access.warp, lane, order, owner, address);
      release(access.warp, lane, order, owner, address);
    }
  }

  static constexpr uint32_t kMostBlocks = (1u << 20) - 1;
  static constexpr uint32_t kFirstUnit = 32;  // "warps" of asynchronous copies, a lane for each mbarrier
  static constexpr uint32_t kUnits = 96;

  struct Fence {
    Knowledge knowledge;
    Stamp stamp = 0;
    bool wide = false;
    bool valid = false;
  };
  struct Pending {  // what strong reads have seen and no fence has taken yet
    Published near, wide;
  };
  struct WarpState {
    Stamp now = 1;
    bool uniform = true;
    Knowledge all;                                         // of all lanes, while it is the same
    std::unique_ptr<std::array<Knowledge, kLanes>> lanes;  // of each, afterwards
    std::unique_ptr<std::array<Fence, kLanes>> fences;
    std::unique_ptr<std::array<Pending, kLanes>> pending;
    std::vector<OpenStore> open_stores;
    std::array<uint32_t, kLanes> store_groups{};  // that each lane has committed
    Published met_fenced;                         // by a wide fence of each thread, before a barrier of the block
  };
  struct BarrierState {
    Published met;
    Published fenced;
    std::vector<std::pair<const Warp*, LaneMask>> waiting;
  };
  struct MbarrierState {
    Published arriving, complete;
    uint32_t unit = 0;
    Stamp copies = 0;
  };
  struct Attempt {
    Attempt(const Access& a, int l, size_t n, const MemoryOrder& o, const Knowledge& k, AccessRecord r)
        : access(a), lane(l), number(n), order(o), known(&k), record(r) {}
    const Access& access;
    int lane;
    size_t number;
    const MemoryOrder& order;
    const Knowledge* known;
    AccessRecord record;
    // The warp and time that was asked for last: neighbouring cells mostly have the same.
    mutable uint32_t asked_who = ~0u;
    mutable Stamp asked_stamp = 0;
    mutable BlockClock::Lanewise answer = BlockClock::Lanewise::none;

    void use(const Knowledge& other) {
      if (known == &other || known->is_same(other)) return;
      known = &other;
      asked_who = ~0u;
    }
  };

  static size_t index_of(const Warp& warp) { return static_cast<size_t>(warp.index()); }
  WarpState& state_of(const Warp& warp) { return warps_[index_of(warp)]; }
  Knowledge& knowledge(const Warp& warp, int lane) {
    WarpState& state = state_of(warp);
    Knowledge& known = state.uniform ? state.all : (*state.lanes)[static_cast<size_t>(lane)];
    if (known.own == nullptr) known.own = std::make_shared<BlockClock>();
    return known;
  }
  void part(const Warp& warp) {
    WarpState& state = state_of(warp);
    if (!state.uniform) return;
    state.lanes = std::make_unique<std::array<Knowledge, kLanes>>();
    state.lanes->fill(state.all);
    state.uniform = false;
  }
  void unite(const Warp& warp) {
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
  Published published(const Warp& warp, LaneMask lanes) {
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
  // "__threadfence(); __syncthreads(); if (first) flag = 1": every thread has made its own writes visible to the grid
  // before the barrier, so that a strong write behind it hands them on, though its own thread fences no more.
  void join_fenced(Published& into, const Warp& warp, LaneMask lanes) {
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
  // The lanes know this from now on, which holds all that they knew.
  void assign(const Warp& warp, LaneMask lanes, const Published& what) {
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
  void learn(const Warp& warp, int lane, const Published& what) {
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
  void take_pending(const Warp& warp, LaneMask lanes, bool wide) {
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

  SynchronisingPlace* place(BlockRaces* owner, uint64_t address, bool make) {
    auto& map = owner != nullptr ? owner->places : check_.places;
    if (make) return &map[address];
    const auto found = map.find(address);
    return found != map.end() ? &found->second : nullptr;
  }
  void acquire(const Warp& warp, int lane, const MemoryOrder& order, BlockRaces* owner, uint64_t address) {
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
  void release(const Warp& warp, int lane, const MemoryOrder& order, BlockRaces* owner, uint64_t address) {
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

  AccessRecord record(const Access& access, int lane, size_t number, const MemoryOrder& order) {
    const bool under_way = access.kind == AccessKind::async_write;
    AccessRecord made;
    made.who = AccessRecord::name(number_, static_cast<uint32_t>(access.warp.index()), static_cast<uint32_t>(lane));
    made.when =
        (under_way ? AccessRecord::kUnderWay : state_of(access.warp).now & AccessRecord::kUnderWay) |
        AccessRecord::valid | (order.strong ? AccessRecord::strong : 0u) | (order.wide ? AccessRecord::wide : 0u) |
        (order.noncoherent ? AccessRecord::noncoherent : 0u) |
        (access.kind == AccessKind::async_write || access.kind == AccessKind::async_read ? AccessRecord::asynchronous
                                                                                         : 0u);
    made.instruction = static_cast<uint16_t>(number);
    return made;
  }

  bool is_ordered(const Attempt& attempt, const AccessRecord& other) const {
    if (other.who == attempt.record.who && other.stamp() != AccessRecord::kUnderWay) {
      if (!other.has(AccessRecord::several)) return true;
    } else if (other.who == attempt.record.who) {
      return attempt.record.stamp() == AccessRecord::kUnderWay;  // copies of one thread are its own matter
    }
    const bool same_block = other.block() == number_;
    if (other.has(AccessRecord::strong) && attempt.order.strong &&
        (same_block || (other.has(AccessRecord::wide) && attempt.order.wide)))
      return true;
    // One of several lanes: any other than this one.
    const int lane = other.who == attempt.record.who ? (other.lane() + 1) % kLanes : other.lane();
    return is_known(attempt, other, lane);
  }

  void read(const Attempt& attempt, ShadowCell& cell, uint64_t address, uint32_t bytes) {
    if (cell.write.has(AccessRecord::valid) && attempt.order.noncoherent) {
      report(attempt, cell.write, true, address, bytes, FindingKind::noncoherent);
    } else if (cell.write.has(AccessRecord::valid) && !is_ordered(attempt, cell.write)) {
      report(attempt, cell.write, true, address, bytes);
    }
    for (AccessRecord& slot : cell.reads) {
      // A read through the read-only cache is remembered whoever reads afterwards: no order excuses a write.
      if (slot.has(AccessRecord::noncoherent) && !attempt.order.noncoherent) continue;
      if (!slot.has(AccessRecord::valid) || slot.who == attempt.record.who) {
        const bool same_time = slot.has(AccessRecord::valid) && slot.stamp() == attempt.record.stamp();
        const uint32_t several = same_time ? slot.when & AccessRecord::several : 0;
        slot = attempt.record;
        slot.when |= several;
        return;
      }
      if (is_known(attempt, slot, slot.lane())) {
        slot = attempt.record;
        return;
      }
      const bool same_warp = slot.who >> AccessRecord::kLaneBits == attempt.record.who >> AccessRecord::kLaneBits;
      if (same_warp) {
        slot.when |= AccessRecord::several;
        return;
      }
    }
  }
  // Whether the record lies before what this thread does now, whatever its strength.
  bool is_known(const Attempt& attempt, const AccessRecord& other, int lane) const {
    const uint32_t warp = other.who >> AccessRecord::kLaneBits;
    if (attempt.asked_who != warp || attempt.asked_stamp != other.stamp()) {
      const BlockClock* const clock = clock_of(*attempt.known, other.block());
      attempt.asked_who = warp;
      attempt.asked_stamp = other.stamp();
      attempt.answer = clock != nullptr ? clock->knows(other.warp(), other.stamp()) : BlockClock::Lanewise::none;
    }
    if (attempt.answer != BlockClock::Lanewise::some) return attempt.answer == BlockClock::Lanewise::all;
    return clock_of(*attempt.known, other.block())->knows(other.warp(), lane, other.stamp());
  }
  const BlockClock* clock_of(const Knowledge& known, uint32_t block) const {
    if (block == number_) return known.own.get();
    if (known.others == nullptr) return nullptr;
    const auto found = known.others->find(block);
    return found != known.others->end() ? found->second.get() : nullptr;
  }

  void write(const Attempt& attempt, ShadowCell& cell, uint64_t address, uint32_t bytes) {
    if (cell.write.has(AccessRecord::valid) && !is_ordered(attempt, cell.write) && !is_same_store(attempt, cell.write))
      report(attempt, cell.write, true, address, bytes);
    for (AccessRecord& slot : cell.reads) {
      if (slot.has(AccessRecord::noncoherent)) {
        report(attempt, slot, false, address, bytes, FindingKind::noncoherent);
      } else if (slot.has(AccessRecord::valid) && !is_ordered(attempt, slot)) {
        report(attempt, slot, false, address, bytes);
      }
      slot = {};
    }
    cell.write = attempt.record;
  }
  // Lanes of one instruction that write to one place: a GPU keeps one of the values.
  static bool is_same_store(const Attempt& attempt, const AccessRecord& other) {
    return other.instruction == attempt.record.instruction && other.when == attempt.record.when &&
           other.who >> AccessRecord::kLaneBits == attempt.record.who >> AccessRecord::kLaneBits;
  }

  const std::byte* memory_at(const Access& access, uint64_t address) const {
    if (access.space == Space::global) return block_.grid().memory.host(address);
    return const_cast<Block*>(access.owner)->shared() + address;
  }

  static std::string_view verb(AccessKind kind) {
    switch (kind) {
      case AccessKind::load:
        return "reads";
      case AccessKind::store:
        return "writes";
      case AccessKind::atomic:
        return "updates atomically";
      case AccessKind::async_read:
        return "copies from";
      default:
        return "copies to";
    }
  }

  void report(const Attempt& attempt, const AccessRecord& other, bool other_wrote, uint64_t address, uint32_t bytes,
              FindingKind kind = FindingKind::race) {
    // Whichever came first: the pair is one race.
    const size_t one = other.instruction;
    const std::pair key(std::min(one, attempt.number), std::max(one, attempt.number));
    auto [entry, fresh] = check_.index().try_emplace(key, check_.mutable_findings().size());
    if (!fresh) {
      ++check_.mutable_findings()[entry->second].count;
      return;
    }
    Finding finding = attempt.access.warp.describe(attempt.access.instruction, attempt.lane);
    finding.kind = kind;
    finding.access = attempt.access.kind;
    finding.space = attempt.access.space;
    finding.address = address;
    finding.bytes = bytes;
    const bool copy = other.has(AccessRecord::asynchronous);
    const bool under_way = other.stamp() == AccessRecord::kUnderWay;
    finding.message = fmt::format("this thread {} what {} {} at {}: {}", verb(attempt.access.kind), describe(other),
                                  copy ? (other_wrote ? "copied to" : "copied from") : (other_wrote ? "wrote" : "read"),
                                  check_.place_of(other.instruction),
                                  kind == FindingKind::noncoherent
                                      ? "the read goes through the read-only cache, which sees no write of this kernel"
                                  : under_way ? "the copy has not been waited for"
                                              : "nothing orders the two accesses");
    const bool stores = kind == FindingKind::race && attempt.access.kind == AccessKind::store && other_wrote && !copy;
    if (stores) {
      RaceCheck::EqualValue value{entry->second, memory_at(attempt.access, address), {}, bytes};
      std::memcpy(value.before.data(), value.at, bytes);
      check_.open_values.push_back(value);
    }
    check_.mutable_findings().push_back(std::move(finding));
  }
  std::string describe(const AccessRecord& other) const {
    const Dim3& grid = block_.grid().launch.grid;
    const Dim3& threads = block_.grid().launch.block;
    const uint32_t b = other.block();
    std::string block = b == number_
                            ? "the same block"
                            : fmt::format("block ({}, {}, {})", b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y);
    if (other.warp() >= kFirstUnit) return fmt::format("a bulk copy of {}", block);
    const uint32_t t = other.warp() * kLanes + static_cast<uint32_t>(other.lane());
    return fmt::format("thread ({}, {}, {}) of {}", t % threads.x, t / threads.x % threads.y,
                       t / (threads.x * threads.y), block);
  }

  RaceCheck& check_;
  const Block& block_;
  const uint32_t number_;
  std::vector<WarpState> warps_;
  std::array<BarrierState, Barrier::kCount> barriers_;
  std::map<uint32_t, MbarrierState> mbarriers_;
  uint32_t next_unit_ = 1;
  Published cluster_arriving_, cluster_complete_;
  struct {
    Knowledge before;
    Published what;
    Knowledge after;
  } learned_;  // the last time
};

namespace {

RaceCheck::StoreGroup store_group_of(std::string_view opcode) {
  if (opcode.starts_with("cp.async.bulk.commit_group")) return RaceCheck::StoreGroup::commit;
  return opcode == "cp.async.bulk.wait_group" ? RaceCheck::StoreGroup::wait : RaceCheck::StoreGroup::none;
}

}  // namespace

void RaceCheck::begin_launch(const LaunchView& view) {
  program_ = &view.program;
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

std::string RaceCheck::place_of(size_t number) const {
  const MemoryInstruction& at = instructions_[number];
  const InstructionOrigin& origin = program_->functions[at.function].origins[at.instruction];
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
