// SPDX-License-Identifier: MIT
// Accesses, and whether something orders them after those that the shadow remembers of the same place. This runs for
// every cell that every lane touches: its functions are inline and stand in one file, callees first.
#include "vgpu/observe/block_races.hpp"

#include <algorithm>
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
    lane = other_lane(attempt, other, mark);
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

// Whether a read of a lane of this warp is over because it has met this one at a shuffle or vote since: mostly that
// exchanges what was read. A copy reads on.
[[gnu::noinline]] bool BlockRaces::has_been_read(const Attempt& attempt, AccessMark mark) const {
  const AccessRecord& other = attempt.place.accesses().record(mark);
  if (other.who != (attempt.record.who & ~AccessTable::kLanes) || other.has(AccessRecord::asynchronous)) return false;
  const bool several = (mark & AccessTable::kSeveral) != 0;
  const LaneMask readers = several ? attempt.access.warp.existing_lanes() : LaneMask{1} << AccessTable::lane_of(mark);
  return warps_[index_of(attempt.access.warp)].meetings.have_met(attempt.lane, readers & ~(LaneMask{1} << attempt.lane),
                                                                 other.stamp());
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
    } else if (!is_ordered(attempt, slot, mark) && !has_been_read(attempt, mark)) {
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

// Lanes in a row that read one address. The first two stand for all: what one of them wrote itself, the other one does
// not know.
struct Broadcast {
  uint64_t last = ~uint64_t{0};
  int same = 0;

  bool repeats(uint64_t address) {
    same = address == last ? same + 1 : 0;
    last = address;
    return same > 1;
  }
  static bool is_of_all(const Access& access, uint64_t address) {
    uint64_t differences = 0;
    for (int lane = 0; lane < kLanes; ++lane) differences |= access.addresses[lane] ^ address;
    return differences == 0;
  }
};

// Lanes from this one on that access one element behind another.
size_t lanes_in_a_row(const Access& access, int first) {
  const uint64_t address = access.addresses[first];
  const auto most = static_cast<size_t>(std::countr_one(access.lanes >> first));
  size_t count = 1;
  while (count < most && access.addresses[first + static_cast<int>(count)] == address + count * access.bytes) ++count;
  return count;
}

// How many of the cells are like the first: all have no mark, or one of the same record.
size_t alike(const AccessMark* marks, size_t count) {
  AccessMark differences = 0;
  for (size_t i = 0; i < count; ++i) differences |= marks[i] ^ marks[0];
  if (differences >> AccessTable::kIndexShift == 0) return count;
  size_t same = 1;
  while (AccessTable::index_of(marks[same]) == AccessTable::index_of(marks[0])) ++same;
  return same;
}

}  // namespace

// The cells of a row of lanes, of which all have no read or one of the same record in each plane.
struct BlockRaces::Row {
  Shadow::Row cells;
  AccessMark mine;  // of the first lane

  AccessMark at(size_t plane) const { return cells.has(plane) ? *cells.marks(plane) : 0; }
  AccessMark mine_of(size_t i) const { return mine + static_cast<AccessMark>(i >> cells.cells_shift); }
  bool is_empty(size_t plane) const {
    const AccessMark* const marks = cells.marks(plane);
    return std::all_of(marks, marks + cells.count, [](AccessMark mark) { return mark == 0; });
  }
  void fill(AccessMark* marks) const {
    for (size_t i = 0; i < cells.count; ++i) marks[i] = mine_of(i);
  }
  // Lanes of a warp read what lanes of the same warp have read.
  void fill_by_warp(AccessMark* marks, bool same_time) const {
    for (size_t i = 0; i < cells.count; ++i) {
      const AccessMark several = marks[i] & AccessTable::kSeveral;
      const bool same_lane = ((marks[i] ^ mine_of(i)) & AccessTable::kLanes) == 0;
      marks[i] = same_lane ? mine_of(i) | (same_time ? several : 0) : marks[i] | AccessTable::kSeveral;
    }
  }
};

// Whether all of them are ordered, as far as a quick look can tell. They need not be of the same record.
inline bool BlockRaces::is_row_ordered(const Attempt& attempt, Shadow::Plane plane, const Row& row) const {
  const AccessMark* const marks = row.cells.marks(plane);
  if (alike(marks, row.cells.count) == row.cells.count) {
    if (marks[0] == 0) return true;
    Asked& asked = attempt.ask(plane, marks[0]);
    if (is_known(attempt, asked, 0) && asked.answer == BlockClock::Lanewise::all) return true;
  }
  AccessMark last = 0;
  for (size_t i = 0; i < row.cells.count; ++i) {
    if (marks[i] == last || marks[i] == 0) continue;
    const bool same_record = AccessTable::index_of(marks[i]) == AccessTable::index_of(last);
    last = marks[i];
    Asked& asked = attempt.ask(plane, last);
    if (same_record && asked.answered && asked.answer == BlockClock::Lanewise::all) {
      i += alike(marks + i, row.cells.count - i) - 1;
      continue;
    }
    const AccessRecord& other = *asked.record;
    if (other.stamp() == AccessRecord::kUnderWay) return false;
    if (is_known(attempt, asked, AccessTable::lane_of(last))) continue;
    constexpr AccessMark kWho = AccessTable::kLanes | AccessTable::kSeveral;
    const bool own = ((last ^ row.mine_of(i)) & kWho) == 0 && other.who == (attempt.record.who & ~AccessTable::kLanes);
    if (!own) return false;
    last = 0;  // the next cell is another lane's
  }
  return true;
}

// As read(). False if each lane has to look for itself, and nothing has changed.
inline bool BlockRaces::read_row(const Attempt& attempt, const Row& row, Shadow& place) {
  for (const Shadow::Plane slot : {Shadow::first_read, Shadow::second_read}) {
    const AccessMark mark = row.at(slot);
    if (mark == 0) {
      row.fill(place.marks_of(row.cells, slot));
      return true;
    }
    Asked& asked = attempt.ask(slot, mark);
    const AccessRecord& other = *asked.record;
    if (other.has(AccessRecord::noncoherent) && !attempt.order.noncoherent) continue;
    const bool known = is_known(attempt, asked, 0);
    if (asked.answer == BlockClock::Lanewise::some) return false;
    if (known) {
      row.fill(row.cells.marks(slot));
      return true;
    }
    if (other.who != (attempt.record.who & ~AccessTable::kLanes)) continue;
    row.fill_by_warp(row.cells.marks(slot), other.stamp() == attempt.record.stamp());
    return true;
  }
  return true;
}

// As write(); the same.
inline bool BlockRaces::write_row(const Attempt& attempt, const Row& row, Shadow& place) {
  for (const Shadow::Plane slot : {Shadow::first_read, Shadow::second_read}) {
    if (row.at(slot) == 0) continue;
    if (attempt.ask(slot, row.at(slot)).record->has(AccessRecord::noncoherent)) return false;
    if (!is_row_ordered(attempt, slot, row)) return false;
  }
  for (const Shadow::Plane slot : {Shadow::first_read, Shadow::second_read}) {
    if (row.at(slot) != 0) std::fill_n(row.cells.marks(slot), row.cells.count, AccessMark{0});
  }
  row.fill(place.marks_of(row.cells, Shadow::write));
  return true;
}

// Lanes mostly access neighbouring elements, whose cells all tell the same: they are looked at together. Returns how
// many lanes that was; 0: each has to look for itself.
template <bool Writes>
size_t BlockRaces::touch_row(Attempt& attempt, int first, size_t count, uint64_t base, Shadow& place) {
  Row row{place.row(attempt.access.addresses[first] - base, attempt.access.bytes, count), 0};
  if (row.cells.page == nullptr) return 0;
  attempt.move_to(first);
  row.mine = attempt.mark;
  for (const Shadow::Plane plane : {Shadow::first_read, Shadow::second_read})
    if (row.cells.has(plane)) row.cells.count = alike(row.cells.marks(plane), row.cells.count);
  const size_t lanes = row.cells.count >> row.cells.cells_shift;
  row.cells.count = lanes << row.cells.cells_shift;
  if (lanes == 0) return 0;
  if (row.cells.has(Shadow::write) &&
      !(attempt.order.noncoherent ? row.is_empty(Shadow::write) : is_row_ordered(attempt, Shadow::write, row)))
    return 0;
  return (Writes ? write_row(attempt, row, place) : read_row(attempt, row, place)) ? lanes : 0;
}

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

// TMA tells of every 16 bytes that a thread has it copy: what touch() does, for the cases that come most often, of one
// lane and one cell. False: it is none of them, and nothing has changed.
template <bool Writes>
inline bool BlockRaces::access_alone(const Access& access, size_t number, const MemoryOrder& order, Shadow& place) {
  const int lane = std::countr_zero(access.lanes);
  const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
  if (access.addresses[lane] < base || (access.bytes & (access.bytes - 1)) != 0) return false;
  const Shadow::Row row = place.row(access.addresses[lane] - base, access.bytes, 1);
  if (row.page == nullptr || row.count != 1) return false;
  const Knowledge& known = knowledge(access.warp, lane);
  const AccessRecord made = record(access, lane, number, order);
  AccessTable& table = place.accesses();
  const AccessMark mark = table.mark(made);
  const auto is_before = [&](AccessMark other) {
    const AccessRecord& of = table.record(other);
    if (of.stamp() == AccessRecord::kUnderWay) return false;
    if ((of.who | (other & (AccessTable::kLanes | AccessTable::kSeveral))) == made.who) return true;
    const BlockClock* const clock = clock_of(known, of.block());
    return clock != nullptr && clock->knows(of.warp(), AccessTable::lane_of(other), of.stamp());
  };
  const auto at = [&](Shadow::Plane plane) -> AccessMark& { return row.page->mark(plane, row.first); };
  const AccessMark written = at(Shadow::write), was_read = at(Shadow::first_read), also = at(Shadow::second_read);
  if (written != 0 && (order.noncoherent || !is_before(written))) return false;
  const bool noncoherent = was_read != 0 && table.record(was_read).has(AccessRecord::noncoherent);
  if (was_read != 0 && (noncoherent || !is_before(was_read))) return false;
  if constexpr (Writes) {
    if (also != 0) return false;
    if (was_read != 0) at(Shadow::first_read) = 0;
  }
  *place.marks_of(row, Writes ? Shadow::write : Shadow::first_read) = mark;
  return true;
}

template <bool Writes>
inline void BlockRaces::touch_cells(const Access& access, size_t number, const MemoryOrder& order, Shadow& place) {
  const bool alone = (access.lanes & (access.lanes - 1)) == 0 && !check_.one_by_one;
  if (alone && access_alone<Writes>(access, number, order, place)) return;
  const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
  const WarpState& state = state_of(access.warp);
  Attempt attempt{access,
                  0,
                  number,
                  order,
                  knowledge(access.warp, std::countr_zero(access.lanes)),
                  record(access, 0, number, order),
                  place};
  // Not std::has_single_bit: gcc calls a function for it where any processor may run this.
  const bool may_be_rows = (state.uniform || alone) && (access.bytes & (access.bytes - 1)) == 0 && !check_.one_by_one;
  if (may_be_rows && !alone && are_far_apart(access) && !place.is_full())
    return access_far_apart<Writes>(attempt, base, place);
  Broadcast broadcast;
  size_t known_to_be_none = 0;  // lanes that are in no row, or whose row does not tell the same
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.addresses[lane];
    if (address < base) continue;
    if (!Writes && state.uniform && broadcast.repeats(address)) {
      if (broadcast.same == 2 && Broadcast::is_of_all(access, address)) break;
      continue;
    }
    if (may_be_rows && known_to_be_none == 0) {
      constexpr size_t kShortest = 4;
      const size_t in_row = alone ? 1 : lanes_in_a_row(access, lane);
      const bool worth_it = in_row >= kShortest || alone;  // one lane of several cells
      const size_t done = worth_it ? touch_row<Writes>(attempt, lane, in_row, base, place) : 0;
      if (done > 0) {
        left &= ~LaneMask{0} << (lane + static_cast<int>(done) - 1);  // its last one goes now
        continue;
      }
      known_to_be_none = in_row;
    }
    if (known_to_be_none > 0) --known_to_be_none;
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

// Whether all lanes of the warp that know the same as this thread know the record.
inline RecentStamps::Answer BlockRaces::ask_recent(const Knowledge& known, AccessMark mark,
                                                   const AccessRecord& record) {
  using enum RecentStamps::Answer;
  RecentStamps::Answer answer = recent_.ask(record.block(), record.warp(), record.stamp());
  if (answer == unknown) answer = ask_clock(known, record);
  if (answer != unknown && record.block() != number_ && !record.has(AccessRecord::noncoherent))
    verdicts_.note(mark, answer == before ? RecordVerdicts::Verdict::before : RecordVerdicts::Verdict::unordered);
  return answer;
}

[[gnu::noinline]] RecentStamps::Answer BlockRaces::ask_clock(const Knowledge& known, const AccessRecord& record) {
  using enum RecentStamps::Answer;
  const BlockClock* const clock = clock_of(known, record.block());
  if (record.block() != number_) recent_.add(record.block(), record.warp(), clock);
  if (clock == nullptr) return unordered;
  const BlockClock::Lanewise answer = clock->knows(record.warp(), record.stamp());
  return answer == BlockClock::Lanewise::all ? before : answer == BlockClock::Lanewise::none ? unordered : unknown;
}

// What touch() does, for the cases that come most often where lanes are far apart; false: it is none of them, and
// nothing has changed.
template <bool Writes>
[[gnu::always_inline]] inline bool BlockRaces::touch_quickly(const Attempt& attempt, const Shadow::Announced& cell) {
  using enum RecentStamps::Answer;
  if ((cell.planes & (Writes ? kWritePlane : kFirstPlane)) == 0) return false;
  const AccessTable& table = attempt.place.accesses();
  AccessMark* next = cell.marks;
  if ((cell.planes & kWritePlane) != 0) {
    const AccessMark written = *next++;
    if (written != 0 &&
        (attempt.order.noncoherent || ask_recent(*attempt.known, written, table.record(written)) != before))
      return false;
  }
  AccessMark* const end =
      next + ((cell.planes & kFirstPlane) != 0 ? 1 : 0) + ((cell.planes & kSecondPlane) != 0 ? 1 : 0);
  if constexpr (Writes) {
    for (const AccessMark* mark = next; mark != end; ++mark) {
      if (*mark == 0) continue;
      const AccessRecord& other = table.record(*mark);
      if (other.has(AccessRecord::noncoherent) || ask_recent(*attempt.known, *mark, other) != before) return false;
    }
    for (; next != end; ++next) *next = 0;
    *cell.marks = attempt.mark;
    return true;
  } else {
    const uint32_t warp = attempt.record.who & ~AccessTable::kLanes;
    for (; next != end; ++next) {
      const AccessMark mark = *next;
      if (mark == 0) {
        *next = attempt.mark;
        return true;
      }
      const AccessRecord& other = table.record(mark);
      if (other.who == warp) return false;
      if (other.has(AccessRecord::noncoherent) && !attempt.order.noncoherent) continue;
      const RecentStamps::Answer answer = ask_recent(*attempt.known, mark, other);
      if (answer == unknown) return false;
      if (answer == unordered) continue;
      *next = attempt.mark;
      return true;
    }
    return (cell.planes & kSecondPlane) != 0;  // or it has to be made
  }
}

// The same for a cell with all planes, as far as it is known what the verdicts on its marks are.
template <bool Writes>
[[gnu::always_inline]] inline bool BlockRaces::touch_by_verdicts(AccessMark mine, AccessMark* marks) const {
  using enum RecordVerdicts::Verdict;
  if (verdicts_.of(marks[Shadow::write]) != before) return false;
  const RecordVerdicts::Verdict first = verdicts_.of(marks[Shadow::first_read]);
  if constexpr (Writes) {
    if (first != before || verdicts_.of(marks[Shadow::second_read]) != before) return false;
    marks[Shadow::write] = mine;
    marks[Shadow::first_read] = marks[Shadow::second_read] = 0;
    return true;
  }
  if (first == unknown) return false;
  if (first == before) {
    marks[Shadow::first_read] = mine;
    return true;
  }
  const RecordVerdicts::Verdict second = verdicts_.of(marks[Shadow::second_read]);
  if (second == before) marks[Shadow::second_read] = mine;
  return second != unknown;
}

// Most of the time would go into waiting for the cells: all of them are fetched before the first is looked at.
template <bool Writes>
void BlockRaces::access_far_apart(Attempt& attempt, uint64_t base, Shadow& place) {
  const Access& access = attempt.access;
  recent_.use(attempt.known->others);
  verdicts_.use(attempt.known->others, place.accesses());
  std::array<Shadow::Announced, kLanes> cells;
  const auto shift = static_cast<uint32_t>(std::countr_zero(access.bytes));
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    cells[lane] = place.announce(access.addresses[lane] - base, shift);
  }
  uint64_t layout = place.layout();
  const AccessMark first = attempt.mark - static_cast<AccessMark>(attempt.lane);
  Broadcast broadcast;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Shadow::Announced& cell = cells[static_cast<size_t>(lane)];
    // The first access to a cell of which nothing else is remembered.
    if (cell.planes == (Writes ? kWritePlane : kFirstPlane) && *cell.marks == 0) {
      *cell.marks = first + static_cast<AccessMark>(lane);
      continue;
    }
    if (cell.planes == kAllPlanes && !attempt.order.noncoherent &&
        touch_by_verdicts<Writes>(first + static_cast<AccessMark>(lane), cell.marks))
      continue;
    const uint64_t address = access.addresses[lane];
    if (address < base || (!Writes && broadcast.repeats(address))) continue;
    attempt.move_to(lane);
    if (cell.marks != nullptr && touch_quickly<Writes>(attempt, cell)) continue;
    place.expect_no_order(true);
    touch_each<Writes>(attempt, address, base, place);
    place.expect_no_order(false);
    if (layout == place.layout()) continue;
    layout = place.layout();
    for (LaneMask rest = left & (left - 1); rest != 0; rest &= rest - 1) {
      const auto other = static_cast<size_t>(std::countr_zero(rest));
      cells[other] = place.announce(access.addresses[other] - base, shift);
    }
  }
}

// Each lane may learn something from what it reads, and hand on what it knows by what it writes. What is neither an
// acquire nor a release (volatile, relaxed) changes nothing of what the threads know now: its cells need no order.
inline void BlockRaces::access_strongly(const Access& access, size_t number, const MemoryOrder& order, bool writes,
                                        BlockRaces* owner, Shadow& place) {
  const uint64_t base = access.space == Space::global ? kGlobalWindow : 0;
  const bool together = !order.acquires && !order.releases && !check_.one_by_one;
  if (together) {
    if (writes) {
      touch_cells<true>(access, number, order, place);
    } else {
      touch_cells<false>(access, number, order, place);
    }
    const WarpState& state = state_of(access.warp);
    const bool hands_on = writes && (state.fences != nullptr || state.met_fenced);
    if (!hands_on && (owner != nullptr ? owner->places : check_.places).empty()) return;
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint64_t address = access.addresses[lane];
    if (address < base) continue;
    if (!writes) acquire(access.warp, lane, order, owner, address);
    if (!together) {
      const Attempt attempt{
          access, lane, number, order, knowledge(access.warp, lane), record(access, lane, number, order), place};
      if (writes) {
        touch_each<true>(attempt, address, base, place);
      } else {
        touch_each<false>(attempt, address, base, place);
      }
    }
    if (!writes) continue;
    if (order.reads_and_writes) acquire(access.warp, lane, order, owner, address);
    release(access.warp, lane, order, owner, address);
  }
}

LaneMask BlockRaces::access(const Access& access) {
  if (access.lanes == 0) return 0;  // the checks before have stopped all of them
  check_.settle();
  if (access.space != Space::global && access.space != Space::shared) return access.lanes;
  if (access.kind == AccessKind::mbarrier || access.kind == AccessKind::none) return access.lanes;
  const size_t number = check_.number_of(*access.warp.frame().function, access.instruction);
  const MemoryOrder& order = check_.instruction(number).order;
  const bool writes = access.kind != AccessKind::load && access.kind != AccessKind::async_read;
  const bool shared_here = access.space == Space::shared && access.owner == &block_;
  BlockRaces* const owner = shared_here ? this : access.space == Space::shared ? check_.of(access.owner) : nullptr;
  if (access.space == Space::shared && owner == nullptr) return access.lanes;
  if (owner != nullptr && owner != this) owner->visited_ = true;
  Shadow& place = owner != nullptr ? owner->shared : check_.global;
  place.tidy();
  if (access.kind == AccessKind::async_write && access.space == Space::global) note_store(access);
  if (order.strong) {
    access_strongly(access, number, order, writes, owner, place);
  } else if (writes) {
    touch_cells<true>(access, number, order, place);
  } else {
    touch_cells<false>(access, number, order, place);
  }
  return access.lanes;
}

// A block ends when all of its threads have: what one of them knows came before.
void BlockRaces::find_late_visits() {
  if (!visited_) return;
  Published known{number_, {std::make_shared<BlockClock>(), nullptr}};
  for (const WarpState& warp : warps_) {
    const auto lanes = warp.uniform ? 1 : kLanes;
    for (int lane = 0; lane < lanes; ++lane) {
      const Knowledge& of = warp.uniform ? warp.all : (*warp.lanes)[static_cast<size_t>(lane)];
      if (of.own != nullptr) join(known, Published{number_, of});
    }
  }
  shared.for_each_mark([&](Shadow::Plane plane, AccessMark mark, uint64_t address, uint32_t bytes) {
    const AccessRecord visit = shared.accesses().access(mark);
    if (visit.block() == number_) return;
    const BlockClock* const clock = clock_of(known.knowledge, visit.block());
    if (clock == nullptr || !clock->knows(visit.warp(), visit.lane(), visit.stamp()))
      report_late(visit, plane, address, bytes);
  });
}

}  // namespace assay::vgpu
