// SPDX-License-Identifier: MIT
// Accesses, and whether something orders them after those that the shadow remembers of the same place. This runs for
// every cell that every lane touches: its functions are inline and stand in one file, callees first.
#include "vgpu/observe/block_races.hpp"

#include <bit>

namespace assay::vgpu {

inline const BlockClock* BlockRaces::clock_of(const Knowledge& known, uint32_t block) const {
  if (block == number_) return known.own.get();
  if (known.others == nullptr) return nullptr;
  const std::shared_ptr<const BlockClock>* const clock = known.others->find(block);
  return clock != nullptr ? clock->get() : nullptr;
}

// Whether the record lies before what this thread does now, whatever its strength.
inline bool BlockRaces::is_known(const Attempt& attempt, Asked& other, int lane) const {
  const AccessRecord& record = *other.record;
  if (!other.answered) {
    const BlockClock* const clock = clock_of(*attempt.known, record.block());
    other.answer = clock != nullptr ? clock->knows(record.warp(), record.stamp()) : BlockClock::Lanewise::none;
    other.answered = true;
  }
  if (other.answer != BlockClock::Lanewise::some) return other.answer == BlockClock::Lanewise::all;
  return clock_of(*attempt.known, record.block())->knows(record.warp(), lane, record.stamp());
}

inline bool BlockRaces::is_ordered(const Attempt& attempt, Shadow::Plane plane, AccessMark mark) const {
  Asked& asked = attempt.ask(plane, mark);
  const AccessRecord& other = *asked.record;
  int lane = AccessTable::lane_of(mark);
  if (lane == attempt.lane && other.who == (attempt.record.who & ~AccessTable::kLanes)) {
    // Copies of one thread are its own matter.
    if (other.stamp() == AccessRecord::kUnderWay) return attempt.record.stamp() == AccessRecord::kUnderWay;
    if ((mark & AccessTable::kSeveral) == 0) return true;
    lane = (lane + 1) % kLanes;  // one of several lanes: any other than this one
  }
  const bool same_block = other.block() == number_;
  if (other.has(AccessRecord::strong) && attempt.order.strong &&
      (same_block || (other.has(AccessRecord::wide) && attempt.order.wide)))
    return true;
  return is_known(attempt, asked, lane);
}

// Lanes of one instruction that write to one place: a GPU keeps one of the values.
inline bool BlockRaces::is_same_store(const Attempt& attempt, AccessMark other) {
  const AccessRecord& record = *attempt.ask(Shadow::write, other).record;
  return record.instruction == attempt.record.instruction && record.when == attempt.record.when &&
         record.who == (attempt.record.who & ~AccessTable::kLanes);
}

[[gnu::always_inline]] inline void BlockRaces::read(const Attempt& attempt, Shadow::Cell cell, uint64_t address,
                                                    uint32_t bytes) {
  const AccessMark written = cell.at(Shadow::write);
  if (written != 0 && attempt.order.noncoherent) {
    report(attempt, written, true, address, bytes, FindingKind::noncoherent);
  } else if (written != 0 && !is_ordered(attempt, Shadow::write, written)) {
    report(attempt, written, true, address, bytes);
  }
  for (const Shadow::Plane slot : {Shadow::first_read, Shadow::second_read}) {
    const AccessMark mark = cell.at(slot);
    if (mark == 0) return cell.set(slot, attempt.mark);
    if ((mark & ~AccessTable::kSeveral) == attempt.mark) return;  // the same access again
    Asked& asked = attempt.ask(slot, mark);
    const AccessRecord& other = *asked.record;
    // A read through the read-only cache is remembered whoever reads afterwards: no order excuses a write.
    if (other.has(AccessRecord::noncoherent) && !attempt.order.noncoherent) continue;
    const bool same_warp = other.who == (attempt.record.who & ~AccessTable::kLanes);
    if (same_warp && AccessTable::lane_of(mark) == attempt.lane) {
      const bool same_time = other.stamp() == attempt.record.stamp();
      return cell.set(slot, attempt.mark | (same_time ? mark & AccessTable::kSeveral : 0));
    }
    if (is_known(attempt, asked, AccessTable::lane_of(mark))) return cell.set(slot, attempt.mark);
    if (same_warp) return cell.set(slot, mark | AccessTable::kSeveral);
  }
}

[[gnu::always_inline]] inline void BlockRaces::write(const Attempt& attempt, Shadow::Cell cell, uint64_t address,
                                                     uint32_t bytes) {
  const AccessMark written = cell.at(Shadow::write);
  if (written != 0 && !is_ordered(attempt, Shadow::write, written) && !is_same_store(attempt, written))
    report(attempt, written, true, address, bytes);
  for (const Shadow::Plane slot : {Shadow::first_read, Shadow::second_read}) {
    const AccessMark mark = cell.at(slot);
    if (mark == 0) continue;
    if (attempt.ask(slot, mark).record->has(AccessRecord::noncoherent)) {
      report(attempt, mark, false, address, bytes, FindingKind::noncoherent);
    } else if (!is_ordered(attempt, slot, mark)) {
      report(attempt, mark, false, address, bytes);
    }
    cell.clear(slot);
  }
  cell.set(Shadow::write, attempt.mark);
}

inline AccessRecord BlockRaces::record(const Access& access, int lane, size_t number, const MemoryOrder& order) {
  const bool under_way = access.kind == AccessKind::async_write;
  AccessRecord made;
  made.who = AccessRecord::name(number_, static_cast<uint32_t>(access.warp.index()), static_cast<uint32_t>(lane));
  made.when =
      (under_way ? AccessRecord::kUnderWay : state_of(access.warp).now & AccessRecord::kUnderWay) |
      (order.strong ? AccessRecord::strong : 0u) | (order.wide ? AccessRecord::wide : 0u) |
      (order.noncoherent ? AccessRecord::noncoherent : 0u) |
      (access.kind == AccessKind::async_write || access.kind == AccessKind::async_read ? AccessRecord::asynchronous
                                                                                       : 0u);
  made.instruction = static_cast<uint16_t>(number);
  return made;
}

namespace {

// Lanes in a row that read one address. Two tell all: what one of them wrote itself, the other one does not know.
struct Broadcast {
  uint64_t last = ~uint64_t{0};
  int same = 0;

  bool is_told(uint64_t address) {
    same = address == last ? same + 1 : 0;
    last = address;
    return same > 1;
  }
};

}  // namespace

// Whether the first two lanes at least are a page of the shadow apart. That of shared memory is small.
inline bool BlockRaces::are_far_apart(const Access& access) {
  const LaneMask others = access.lanes & (access.lanes - 1);
  if (others == 0 || access.space != Space::global) return false;
  const uint64_t first = access.addresses[std::countr_zero(access.lanes)];
  const uint64_t second = access.addresses[std::countr_zero(others)];
  return (first < second ? second - first : first - second) >= Shadow::kPageBytes;
}

template <bool Writes>
[[gnu::always_inline]] inline void BlockRaces::touch(const Attempt& attempt, Shadow::Cell cell, uint64_t address,
                                                     uint64_t bytes) {
  if constexpr (Writes) {
    write(attempt, cell, address, static_cast<uint32_t>(bytes));
  } else {
    read(attempt, cell, address, static_cast<uint32_t>(bytes));
  }
}

template <bool Writes>
inline void BlockRaces::access_weakly(const Access& access, size_t number, const MemoryOrder& order, Shadow& place) {
  const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
  const WarpState& state = state_of(access.warp);
  Attempt attempt{access,
                  0,
                  number,
                  order,
                  knowledge(access.warp, std::countr_zero(access.lanes)),
                  record(access, 0, number, order),
                  place};
  if (state.uniform && are_far_apart(access) && !place.is_full()) return access_far_apart<Writes>(attempt, base, place);
  Broadcast broadcast;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.addresses[lane];
    if (address < base || (!Writes && state.uniform && broadcast.is_told(address))) continue;
    attempt.move_to(lane);
    if (!state.uniform) attempt.use(knowledge(access.warp, lane));
    place.for_each_cell(address - base, access.bytes, [&](Shadow::Cell cell, uint64_t at, uint64_t bytes) {
      touch<Writes>(attempt, cell, at + base, bytes);
    });
  }
}

template <bool Writes>
[[gnu::noinline]] void BlockRaces::touch_each(const Attempt& attempt, uint64_t address, uint64_t base, Shadow& place) {
  place.for_each_cell(address - base, attempt.access.bytes, [&](Shadow::Cell cell, uint64_t at, uint64_t bytes) {
    touch<Writes>(attempt, cell, at + base, bytes);
  });
}

// Most of the time would go into waiting for the cells: all of them are fetched before the first is looked at.
template <bool Writes>
void BlockRaces::access_far_apart(Attempt& attempt, uint64_t base, Shadow& place) {
  const Access& access = attempt.access;
  std::array<Shadow::Announced, kLanes> cells;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    cells[lane] = place.announce(access.addresses[lane] - base, access.bytes);
  }
  const uint64_t layout = place.layout();
  Broadcast broadcast;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.addresses[lane];
    if (address < base || (!Writes && broadcast.is_told(address))) continue;
    attempt.move_to(lane);
    const Shadow::Announced& cell = cells[static_cast<size_t>(lane)];
    const bool valid = cell.page != nullptr && layout == place.layout();
    if (valid && cell.take_if_empty<Writes ? Shadow::write : Shadow::first_read>(attempt.mark)) continue;
    if (valid) {
      touch<Writes>(attempt, place.cell_of(cell), address, access.bytes);
    } else {
      touch_each<Writes>(attempt, address, base, place);
    }
  }
}

// Each lane may learn something from what it reads, and hand on what it knows by what it writes.
inline void BlockRaces::access_strongly(const Access& access, size_t number, const MemoryOrder& order, bool writes,
                                        BlockRaces* owner, Shadow& place) {
  const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.addresses[lane];
    if (address < base) continue;
    if (!writes) acquire(access.warp, lane, order, owner, address);
    const Attempt attempt{
        access, lane, number, order, knowledge(access.warp, lane), record(access, lane, number, order), place};
    if (writes) {
      touch_each<true>(attempt, address, base, place);
    } else {
      touch_each<false>(attempt, address, base, place);
    }
    if (!writes) continue;
    if (order.reads_and_writes) acquire(access.warp, lane, order, owner, address);
    release(access.warp, lane, order, owner, address);
  }
}

inline void BlockRaces::note_store(const Access& access) {
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

LaneMask BlockRaces::access(const Access& access) {
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
  place.tidy();
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

void BlockRaces::complete(const Warp& warp, const OpenStore& store) {
  const Stamp now = state_of(warp).now & AccessRecord::kUnderWay;
  const uint32_t who =
      AccessRecord::name(number_, static_cast<uint32_t>(warp.index()), static_cast<uint32_t>(store.lane));
  check_.global.tidy();
  check_.global.complete_copies(store.address - kGlobalWindow, store.bytes, who, now, Shadow::Copies::of_thread);
}

// A wait for bulk stores: what they wrote to global memory is a write of their thread at this time.
void BlockRaces::grouped(const Warp& warp, const Instruction& instruction) {
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

}  // namespace assay::vgpu
