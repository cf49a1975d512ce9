// SPDX-License-Identifier: MIT
// What the accesses of a block cost: sectors of global memory, wavefronts of shared memory, lines of local memory, and
// when their data is there. access() and what it calls stand in this file, so that they are inlined.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vgpu/observe/access_cost.hpp"
#include "vgpu/observe/block_tracing.hpp"

namespace assay::vgpu {
namespace {

using gpu::Work;
using gpu::WorkSums;

constexpr uint64_t kLineBytes = 128;

// The lanes' sectors, each once, in the order of the lanes.
class LaneSectors {
 public:
  LaneSectors(const LaneAddresses& access) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const uint64_t address = access.at[std::countr_zero(left)];
      for (uint64_t sector = address / kSectorBytes; sector <= (address + access.bytes - 1) / kSectorBytes; ++sector)
        add(sector);
    }
  }
  const uint64_t* begin() const { return sectors_.data(); }
  const uint64_t* end() const { return sectors_.data() + count_; }
  size_t count() const { return count_; }
  size_t lines() const {
    std::array<uint64_t, kMost> lines;
    for (size_t i = 0; i < count_; ++i) lines[i] = sectors_[i] * kSectorBytes / kLineBytes;
    std::sort(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count_));
    return static_cast<size_t>(std::unique(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count_)) -
                               lines.begin());
  }

 private:
  static constexpr size_t kMost = size_t{kLanes} * 2;
  void add(uint64_t sector) {
    for (size_t i = count_; i-- > 0;) {
      if (sectors_[i] == sector) return;
    }
    if (count_ < kMost) sectors_[count_++] = sector;
  }
  std::array<uint64_t, kMost> sectors_;
  size_t count_ = 0;
};

// Lane by lane one value behind the other, each of fewer bytes than a register holds.
bool is_narrow(const LaneAddresses& lanes) {
  if (lanes.bytes >= sizeof(uint32_t) || std::popcount(lanes.lanes) < 2) return false;
  uint64_t next = lanes.at[std::countr_zero(lanes.lanes)];
  for (LaneMask left = lanes.lanes; left != 0; left &= left - 1) {
    if (lanes.at[std::countr_zero(left)] != next) return false;
    next += lanes.bytes;
  }
  return true;
}

uint64_t covered(const LaneAddresses& lanes, uint64_t sector) {
  uint64_t bytes = 0;
  for (LaneMask left = lanes.lanes; left != 0; left &= left - 1) {
    if (lanes.at[std::countr_zero(left)] / kSectorBytes == sector) bytes += lanes.bytes;
  }
  return bytes;
}

// A word of all lanes lies in one line, so that lanes at different places touch lines of their own.
double local_lines(const Access& access) {
  std::array<uint64_t, kLanes> words;
  size_t count = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1)
    words[count++] = access.addresses[std::countr_zero(left)] / sizeof(uint32_t);
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto different = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)) - words.begin();
  return static_cast<double>(different) * std::max(1.0, access.bytes / 4.0);
}

// The sectors that a store to local memory passes on to the L2, and how many of them it writes only in part: a sector
// holds one word of eight neighbouring lanes.
struct LocalStore {
  double sectors = 0;
  double partial = 0;

  explicit LocalStore(const Access& access) {
    constexpr int kNeighbours = 8;
    for (int first = 0; first < kLanes; first += kNeighbours) {
      std::array<uint64_t, kNeighbours> words;
      size_t count = 0;
      for (int lane = first; lane < first + kNeighbours; ++lane) {
        if ((access.lanes >> lane & 1U) != 0) words[count++] = access.addresses[lane] / sizeof(uint32_t);
      }
      std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
      const auto different =
          std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)) - words.begin();
      const bool whole = count == kNeighbours && different == 1;
      sectors += static_cast<double>(different);
      partial += whole ? 0 : static_cast<double>(different);
    }
    const double words_each = std::max(1.0, access.bytes / 4.0);
    sectors *= words_each;
    partial *= words_each;
  }
};

}  // namespace

inline void BlockTracing::data_at(Time at, Work reason) {
  if (at.dram >= data_ready_.dram) data_reason_ = reason;
  data_ready_ = later(data_ready_, at);
}

inline Tracing::BufferSums& BlockTracing::buffer_at(uint64_t address) {
  if (last_allocation_ == nullptr || !last_allocation_->covers(address, address + 1)) {
    last_allocation_ = block_.grid().memory.containing(address);
    const std::string name = last_allocation_ == nullptr ? "" : last_allocation_->name;
    last_buffer_ = &buffers[name];
    if (last_allocation_ != nullptr) {
      last_buffer_->bytes = last_allocation_->bytes;
      ranges[name] = {last_allocation_->address, last_allocation_->end()};
    }
  }
  return *last_buffer_;
}

inline void BlockTracing::read_sector(SectorState& state, const Warp& warp, const InstructionCost& cost, Time issued,
                                      WorkSums& own, Tracing::BufferSums& buffer, bool bulk) {
  const gpu::Rates& rates = tracing_.rates();
  WarpClock& clock = clock_of(warp);
  const auto reader = static_cast<uint16_t>(warp.index());
  const bool bypasses = bulk || cost.bypasses_l1;
  if (state.written && state.writer != reader) barriers.needs(state.write_epoch, barriers.epoch());
  bool misses = !state.read || bypasses;
  Time from{rates.latency_l2, rates.latency_dram};
  if (state.read) {
    own[state.reader == reader ? Work::sectors_again_warp : Work::sectors_again_block] += 1;
    // Another warp's sector is taken to be near: warps of a block run side by side. This warp's own may have been
    // pushed out by what it, and the others like it, have brought since.
    const double since = static_cast<double>(clock.missed - state.missed) * kSectorBytes;
    const bool pushed_out = state.reader == reader && since > tracing_.l1_bytes_per_warp();
    misses = misses || pushed_out;
    from.dram = rates.latency_l2;  // the L2 has it now
  }
  if (misses) {
    own[Work::l2_read_sectors] += 1;
    buffer.l2_read_sectors += 1;
    ++clock.missed;
    Time arrival{issued.l2 + from.l2, issued.dram + from.dram};
    // DRAM gives two sectors at a time: who asked for the other one has brought this one to the L2.
    const SectorState* const pair = state.read ? nullptr : sectors.known(state.sector ^ 1);
    if (pair != nullptr && pair->read)
      arrival.dram = std::max(issued.dram + rates.latency_l2, std::min(arrival.dram, pair->arrival[1]));
    state.arrival[0] = arrival.l2;
    state.arrival[1] = arrival.dram;
    data_at(arrival, bulk ? Work::wait_async : Work::wait_global);
  } else {
    // Warps are executed one after the other: this one may ask before the one that brought the sector here.
    state.arrival[0] = std::min(state.arrival[0], issued.l2 + rates.latency_l2);
    state.arrival[1] = std::min(state.arrival[1], issued.dram + rates.latency_dram);
    data_at(later(issued + rates.latency_l1, Time{state.arrival[0], state.arrival[1]}), Work::wait_global);
  }
  state.missed = clock.missed;
  state.read = true;
  state.reader = reader;
  state.read_epoch = barriers.epoch();
}

inline void BlockTracing::write_sector(SectorState& state, const Warp& warp, WorkSums& own,
                                       Tracing::BufferSums& buffer) {
  const auto writer = static_cast<uint16_t>(warp.index());
  if (state.written && state.writer != writer) barriers.needs(state.write_epoch, barriers.epoch());
  if (state.read && state.reader != writer) barriers.needs(state.read_epoch, barriers.epoch());
  own[Work::l2_write_sectors] += 1;
  buffer.l2_write_sectors += 1;
  state.written = true;
  state.writer = writer;
  state.write_epoch = barriers.epoch();
}

inline void BlockTracing::note_atomics(const Access& access, WorkSums& own) {
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    ++atomics[access.addresses[std::countr_zero(left)]];
    own[Work::atomics] += 1;
  }
}

inline void BlockTracing::note_stored(const Access& access, WorkSums& own) {
  own[Work::stored_words] += static_cast<double>(access.bytes) / sizeof(uint32_t) * std::popcount(access.lanes);
  const GlobalMemory& memory = block_.grid().memory;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const uint64_t address = access.addresses[std::countr_zero(left)];
    if (!memory.backed(address, access.bytes)) continue;
    OldWord old{memory.host(address), access.bytes, {}};
    if (access.bytes > old.bytes.size()) continue;
    std::memcpy(old.bytes.data(), old.at, access.bytes);
    old_words_.push_back(old);
  }
}

inline void BlockTracing::in_global(const Access& access, const InstructionCost& cost, Time issued, WorkSums& own) {
  const LaneAddresses lanes{access.addresses, access.lanes, access.bytes};
  const LaneSectors touched(lanes);
  Tracing::BufferSums& buffer = buffer_at(access.addresses[std::countr_zero(access.lanes)]);
  const bool bulk = cost.memory == ptx::Operation::bulk_load || cost.memory == ptx::Operation::bulk_store;
  const auto count = static_cast<double>(touched.count());
  if (!bulk) own[Work::l1_wavefronts] += static_cast<double>(touched.lines());
  own[Work::sectors_asked] += count;
  own[Work::sectors_ideal] += std::min<double>(count, ideal_sectors(lanes));
  const bool atomic = cost.memory == ptx::Operation::atomic || cost.memory == ptx::Operation::reduction;
  if (atomic) {
    note_atomics(access, own);
    data_at(issued + tracing_.rates().latency_l2, Work::wait_global);
  }
  const bool reads = access.kind == AccessKind::load || access.kind == AccessKind::async_read;
  if (reads) buffer.asked_sectors += count;
  for (const uint64_t sector : touched) {
    SectorState& state = sectors[sector];
    if (reads) {
      read_sector(state, access.warp, cost, issued, own, buffer, bulk);
    } else {
      write_sector(state, access.warp, own, buffer);
      if (!bulk && !atomic && covered(lanes, sector) < kSectorBytes) own[Work::partial_sectors] += 1;
    }
  }
  if (access.kind == AccessKind::store) note_stored(access, own);
  if (!atomic && !bulk && is_narrow(lanes)) {
    constexpr double kWidest = 16;
    own[Work::narrow_accesses] += 1;
    own[Work::narrow_spared] += 1 - access.bytes / kWidest;
  }
  if (!reads || bulk) return;
  // Each further line of the request is looked up by itself.
  data_ready_ = data_ready_ + (static_cast<double>(touched.lines()) - 1);
}

inline void BlockTracing::in_shared(const Access& access, const InstructionCost& cost, Time issued, WorkSums& own) {
  if (cost.memory == ptx::Operation::bulk_load || cost.memory == ptx::Operation::bulk_store) {
    simple_barriers_ = false;
    if (access.kind == AccessKind::async_write)
      bulk_targets_.push_back(access.addresses[std::countr_zero(access.lanes)]);
    return;
  }
  const LaneAddresses lanes{access.addresses, access.lanes, access.bytes};
  const bool matrix = cost.memory == ptx::Operation::matrix_load || cost.memory == ptx::Operation::matrix_store;
  const bool atomic = cost.memory == ptx::Operation::atomic || cost.memory == ptx::Operation::reduction;
  const bool writes = access.kind != AccessKind::load && access.kind != AccessKind::async_read;
  const SharedCost paid = matrix   ? matrix_cost(lanes)
                          : atomic ? shared_atomic_cost(lanes)
                          : writes ? shared_store_cost(lanes)
                                   : shared_load_cost(lanes);
  own[Work::shared_wavefronts] += paid.wavefronts;
  (atomic ? own[Work::shared_atomics] : own[Work::shared_conflicts]) += atomic ? paid.wavefronts : paid.conflicts();
  data_at(issued + (tracing_.rates().latency_shared + paid.wavefronts - 1.0), Work::wait_shared);
  if (access.owner != &block_) {
    simple_barriers_ = false;
    return;
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    // Lanes of ldmatrix and stmatrix name rows for others: the access belongs to the warp, and to no thread.
    constexpr uint32_t kWarps = 1U << 24;
    const auto warp = static_cast<uint32_t>(access.warp.index());
    const uint32_t thread = matrix ? kWarps + warp : warp * kLanes + static_cast<uint32_t>(lane);
    const uint64_t first = access.addresses[lane] / sizeof(uint32_t);
    const uint64_t last = (access.addresses[lane] + access.bytes - 1) / sizeof(uint32_t);
    for (uint64_t word = first; word <= last; ++word) {
      if (writes) barriers.write(word, thread);
      if (!writes || atomic) barriers.read(word, thread);
    }
  }
}

LaneMask BlockTracing::access(const Access& access) {
  if (access.lanes == 0 || access.kind == AccessKind::mbarrier) return access.lanes;
  const Function& function = *access.warp.frame().function;
  const size_t at = function.index_of(access.instruction);
  const InstructionCost& cost = tracing_.costs(function)[at];
  if (cost.memory == ptx::Operation::other) return access.lanes;
  const Time issued =
      clock_of(access.warp).peek(needed_by(access.warp, access.instruction, function, at, cost), cost.pipe);
  WorkSums& own = of(function)[at].sums;
  switch (access.space) {
    case Space::global:
      in_global(access, cost, issued, own);
      break;
    case Space::shared:
      in_shared(access, cost, issued, own);
      break;
    case Space::local: {
      const double of_local = local_sectors({access.addresses, access.lanes, access.bytes});
      own[Work::local_sectors] += of_local;
      own[Work::l1_wavefronts] += local_lines(access);
      if (access.kind == AccessKind::store) {
        const LocalStore store(access);
        own[Work::local_write_sectors] += store.sectors;
        own[Work::local_partial_sectors] += store.partial;
      }
      data_at(issued + (tracing_.rates().latency_l1 + local_lines(access) - 1), Work::wait_global);
      break;
    }
    default:
      data_at(issued + tracing_.rates().latency_constant, Work::wait_fixed);
  }
  return access.lanes;
}

void BlockTracing::note_silent_words(Tracing::InstructionSums& own) {
  for (const OldWord& old : old_words_) {
    for (uint32_t at = 0; at < old.count; at += sizeof(uint32_t)) {
      const size_t bytes = std::min<size_t>(sizeof(uint32_t), old.count - at);
      if (std::memcmp(old.at + at, old.bytes.data() + at, bytes) == 0)
        own.sums[Work::silent_words] += static_cast<double>(bytes) / sizeof(uint32_t);
    }
  }
  old_words_.clear();
}

}  // namespace assay::vgpu
