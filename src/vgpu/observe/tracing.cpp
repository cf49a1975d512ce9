// SPDX-License-Identifier: MIT
#include "vgpu/observe/tracing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/access_cost.hpp"
#include "vgpu/observe/barrier_need.hpp"
#include "vgpu/observe/sector_table.hpp"
#include "vgpu/observe/warp_clock.hpp"

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

// When the registers of one activation can be used, by their place in the frame.
using FrameClock = std::vector<Ready>;

class BlockTracing final : public BlockObserver {
 public:
  BlockTracing(const Tracing& tracing, const Block& block)
      : index(block.linear_index()), tracing_(tracing), block_(block), sums(tracing.program().functions.size()) {}

  bool follows_instructions() const override { return true; }
  bool follows_order() const override { return true; }

  void before(const Warp& warp, const Instruction& instruction) override {
    data_ready_ = {};
    old_words_.clear();
    bulk_targets_.clear();
    const Function& function = *warp.frame().function;
    const size_t at = function.index_of(instruction);
    const InstructionCost& cost = tracing_.costs(function)[at];
    if (cost.rule == ClockRule::leave) end_basic_block(warp, function);  // nobody comes back to it
    path_lanes_ = static_cast<uint64_t>(std::popcount(warp.active));
    if (warp.mask != 0) return;
    ++of(function)[at].off;
    of(function)[at].path_lanes += static_cast<uint64_t>(std::popcount(warp.active));
    if (cost.issue == 0) return;
    WarpClock& clock = clock_of(warp);
    clock.issue(guard_ready(warp, instruction), 1);
    if (cost.rule == ClockRule::branch) end_basic_block(warp, function);
  }

  void after(const Warp& warp, const Instruction& instruction, LaneMask lanes) override {
    const Function& function = *warp.frame().function;
    const size_t at = function.index_of(instruction);
    Tracing::InstructionSums& own = of(function)[at];
    ++own.executed;
    own.lanes += static_cast<uint64_t>(std::popcount(lanes));
    own.path_lanes += path_lanes_;
    if (static_cast<uint64_t>(std::popcount(lanes)) < path_lanes_) ++own.divergent;
    const InstructionCost& cost = tracing_.costs(function)[at];
    note_silent_words(own);
    run_clock(warp, function, at, cost);
  }
  void met(const Warp& warp, const Instruction& instruction, LaneMask lanes) override {
    const Function& function = *warp.frame().function;
    Tracing::InstructionSums& own = of(function)[function.index_of(instruction)];
    ++own.executed;
    own.lanes += static_cast<uint64_t>(std::popcount(lanes));
  }

  LaneMask access(const Access& access) override {
    if (access.lanes == 0 || access.kind == AccessKind::mbarrier) return access.lanes;
    const Function& function = *access.warp.frame().function;
    const size_t at = function.index_of(access.instruction);
    const InstructionCost& cost = tracing_.costs(function)[at];
    if (cost.memory == ptx::Operation::other) return access.lanes;
    const Time issued = clock_of(access.warp).peek(needed(access.warp, access.instruction, function, at));
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
        data_at(issued + (tracing_.rates().latency_l1 + local_lines(access) - 1), Work::wait_global);
        break;
      }
      default:
        data_at(issued + tracing_.rates().latency_constant, Work::wait_fixed);
    }
    return access.lanes;
  }

  // --- what orders warps
  void barrier_arrived(int barrier, const Warp& warp, LaneMask, bool waits) override {
    const Function& function = *warp.frame().function;
    end_basic_block(warp, function);
    const size_t at = function.index_of(*warp.current_instruction());
    arrivals_[barrier].push_back({&warp, &function, at, clock_of(warp).now(), waits});
    if (barrier != 0) simple_barriers_ = false;
  }
  void barrier_completed(int barrier) override {
    std::vector<Arrival>& arrivals = arrivals_[barrier];
    if (arrivals.empty()) return;
    Time done;
    for (const Arrival& arrival : arrivals) done = later(done, arrival.at);
    const gpu::Rates& rates = tracing_.rates();
    done = done + (rates.barrier_base + rates.barrier_per_warp * static_cast<double>(arrivals.size()));
    for (const Arrival& arrival : arrivals) {
      if (!arrival.waits) continue;
      of(*arrival.function)[arrival.instruction].sums[Work::wait_barrier] += clock_of(*arrival.warp).wait_until(done);
    }
    const Arrival& first = arrivals.front();
    barriers.completed(site_of(*first.function, first.instruction));
    arrivals.clear();
  }
  void mbarrier_initialised(uint32_t, const Warp&, int) override { simple_barriers_ = false; }
  void mbarrier_arrived(uint32_t address, const Warp& warp, int) override {
    Phase& phase = phases_[address];
    phase.pending = later(phase.pending, clock_of(warp).now());
  }
  void mbarrier_completed(uint32_t address) override {
    Phase& phase = phases_[address];
    phase.done = phase.pending;
    phase.pending = {};
  }
  void mbarrier_awaited(uint32_t address, const Warp& warp, int) override {
    const Function& function = *warp.frame().function;
    const size_t at = function.index_of(*warp.current_instruction());
    end_basic_block(warp, function);
    of(function)[at].sums[Work::wait_async] += clock_of(warp).wait_until(phases_[address].done);
  }
  void landed(uint64_t offset, uint64_t, const Warp*, int, const uint32_t* mbarrier) override {
    if (mbarrier == nullptr) return;
    const auto after = copies_.upper_bound(offset);
    if (after == copies_.begin()) return;
    Phase& phase = phases_[*mbarrier];
    phase.pending = later(phase.pending, std::prev(after)->second);
  }
  void cluster_arrived(const Warp&, LaneMask) override { simple_barriers_ = false; }

  gpu::ChainCycles chain() const {
    Time end;
    for (const WarpClock& clock : clocks_) end = later(end, clock.now());
    return {end.l2, end.dram};
  }
  bool judges_barriers() const { return simple_barriers_; }

  size_t site_of(const Function& function, size_t instruction) const {
    return tracing_.program().index_of(function) << 32 | instruction;
  }

  const uint64_t index;
  BarrierNeed barriers;
  SectorTable sectors;
  std::map<std::string, Tracing::BufferSums> buffers;
  std::map<std::string, std::pair<uint64_t, uint64_t>> ranges;
  std::unordered_map<uint64_t, double> atomics;

 private:
  struct Arrival {
    const Warp* warp;
    const Function* function;
    size_t instruction;
    Time at;
    bool waits;
  };
  struct Phase {
    Time pending;
    Time done;
  };

  std::vector<Tracing::InstructionSums>& of(const Function& function) {
    std::vector<Tracing::InstructionSums>& own = sums[tracing_.program().index_of(function)];
    if (own.empty()) own.resize(function.code.size());
    return own;
  }
  WarpClock& clock_of(const Warp& warp) {
    const auto index_of_warp = static_cast<size_t>(warp.index());
    if (index_of_warp >= clocks_.size()) clocks_.resize(index_of_warp + 1);
    return clocks_[index_of_warp];
  }

  // --- registers
  static FrameClock& frame_clock(const Warp& warp) {
    Frame& frame = warp.frame();
    if (!frame.attachment)
      frame.attachment = std::make_shared<FrameClock>(frame.function->frame_bytes / sizeof(uint32_t) + 1);
    return *static_cast<FrameClock*>(frame.attachment.get());
  }
  static Ready& ready_of(FrameClock& clock, uint32_t row) { return clock[row / sizeof(uint32_t)]; }
  static bool is_register(uint32_t row) { return row != kNoRow && (row & kConstantRow) == 0; }
  static void take_later(Ready& into, const Ready& other) {
    if (other.at.dram > into.at.dram) {
      const Time both = later(into.at, other.at);
      into = other;
      into.at = both;
    } else {
      into.at = later(into.at, other.at);
    }
  }
  static Ready guard_ready(const Warp& warp, const Instruction& instruction) {
    if (!is_register(instruction.guard)) return {};
    return ready_of(frame_clock(warp), instruction.guard);
  }
  static Ready needed(const Warp& warp, const Instruction& instruction, const Function& function, size_t at) {
    FrameClock& clock = frame_clock(warp);
    Ready latest = guard_ready(warp, instruction);
    for (uint16_t i = function.origins[at].written; i < instruction.row_count; ++i) {
      if (is_register(instruction.rows[i])) take_later(latest, ready_of(clock, instruction.rows[i]));
    }
    return latest;
  }

  void end_basic_block(const Warp& warp, const Function& function) {
    const WarpClock::Wait wait = clock_of(warp).end_block();
    if (wait.cycles <= 0) return;
    std::vector<Tracing::InstructionSums>& own = of(function);
    if (wait.by.producer < own.size()) own[wait.by.producer].sums[wait.by.reason] += wait.cycles;
  }

  void run_clock(const Warp& warp, const Function& function, size_t at, const InstructionCost& cost) {
    WarpClock& clock = clock_of(warp);
    const Instruction& instruction = function.code[at];
    Ready need = needed(warp, instruction, function, at);
    const auto producer = static_cast<uint32_t>(at);
    const auto results = [&](const Ready& ready) {
      FrameClock& frame = frame_clock(warp);
      for (uint16_t i = 0; i < function.origins[at].written; ++i) {
        if (is_register(instruction.rows[i])) ready_of(frame, instruction.rows[i]) = ready;
      }
    };
    switch (cost.rule) {
      case ClockRule::free:
        results(need);
        return;
      case ClockRule::barrier:
      case ClockRule::leave:
        clock.issue({}, 1);
        return;
      case ClockRule::branch:
        clock.issue(need, cost.issue);
        end_basic_block(warp, function);
        clock.delay(tracing_.rates().branch);
        return;
      case ClockRule::load:
        clock.issue(need, cost.issue);
        results({data_ready_, producer, data_reason_});
        return;
      case ClockRule::store:
      case ClockRule::bulk_other:
        clock.issue(need, cost.issue);
        return;
      case ClockRule::async_copy:
        clock.issue(need, cost.issue);
        clock.copies.add(data_ready_);
        return;
      case ClockRule::bulk_copy:
        clock.issue(need, cost.issue);
        for (const uint64_t target : bulk_targets_) copies_[target] = data_ready_;
        return;
      case ClockRule::async_commit:
        clock.copies.commit();
        clock.issue({}, cost.issue);
        return;
      case ClockRule::async_wait:
        wait_for(warp, function, at, clock.copies.done(cost.wait_groups), Work::wait_async);
        return;
      case ClockRule::group_commit:
        clock.products.commit();
        return;
      case ClockRule::group_wait:
        wait_for(warp, function, at, clock.products.done(cost.wait_groups), Work::wait_tensor);
        return;
      case ClockRule::product: {
        const double cycles = tensor_cycles(cost);
        if (clock.tensor_free.dram > need.at.dram)
          need = {later(need.at, clock.tensor_free), producer, Work::wait_tensor};
        const Time issued = clock.issue(need, cost.issue);
        clock.tensor_free = issued + cycles;
        results({issued + std::max<double>(cost.latency, cycles), producer, Work::wait_tensor});
        return;
      }
      case ClockRule::group_product: {
        const Time begin = later(clock.issue(need, cost.issue), clock.tensor_free);
        clock.tensor_free = begin + cost.latency;
        clock.products.add(clock.tensor_free + tracing_.rates().latency_mma);
        return;
      }
      case ClockRule::collective:
      case ClockRule::mbarrier:
        results({clock.issue(need, cost.issue) + cost.latency, producer, Work::wait_shared});
        return;
      case ClockRule::compute:
      case ClockRule::other:
        results({clock.issue(need, cost.issue) + cost.latency, producer,
                 cost.xu > 0 ? Work::wait_shared : Work::wait_fixed});
        return;
    }
  }
  void wait_for(const Warp& warp, const Function& function, size_t at, Time done, Work reason) {
    end_basic_block(warp, function);
    of(function)[at].sums[reason] += clock_of(warp).wait_until(done);
    clock_of(warp).issue({}, 1);
  }
  double tensor_cycles(const InstructionCost& cost) const {
    constexpr double kPartitions = 4;
    double rate = tracing_.rates().tensor_rate(cost.tensor_kind);
    if (rate == 0) rate = tracing_.rates().tensor_rate("mma.f16");
    return 2.0 * static_cast<double>(cost.multiply_adds) * kPartitions / rate;
  }
  void data_at(Time at, Work reason) {
    if (at.dram >= data_ready_.dram) data_reason_ = reason;
    data_ready_ = later(data_ready_, at);
  }

  // --- global memory
  Tracing::BufferSums& buffer_at(uint64_t address) {
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

  void in_global(const Access& access, const InstructionCost& cost, Time issued, WorkSums& own) {
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
    if (!reads || bulk) return;
    // Each further line of the request is looked up by itself.
    data_ready_ = data_ready_ + (static_cast<double>(touched.lines()) - 1);
  }
  static uint64_t covered(const LaneAddresses& lanes, uint64_t sector) {
    uint64_t bytes = 0;
    for (LaneMask left = lanes.lanes; left != 0; left &= left - 1) {
      if (lanes.at[std::countr_zero(left)] / kSectorBytes == sector) bytes += lanes.bytes;
    }
    return bytes;
  }
  void read_sector(SectorState& state, const Warp& warp, const InstructionCost& cost, Time issued, WorkSums& own,
                   Tracing::BufferSums& buffer, bool bulk) {
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
      const Time arrival{issued.l2 + from.l2, issued.dram + from.dram};
      state.arrival[0] = arrival.l2;
      state.arrival[1] = arrival.dram;
      data_at(arrival, bulk ? Work::wait_async : Work::wait_global);
    } else {
      data_at(later(issued + rates.latency_l1, Time{state.arrival[0], state.arrival[1]}), Work::wait_global);
    }
    state.missed = clock.missed;
    state.read = true;
    state.reader = reader;
    state.read_epoch = barriers.epoch();
  }
  void write_sector(SectorState& state, const Warp& warp, WorkSums& own, Tracing::BufferSums& buffer) {
    const auto writer = static_cast<uint16_t>(warp.index());
    if (state.written && state.writer != writer) barriers.needs(state.write_epoch, barriers.epoch());
    if (state.read && state.reader != writer) barriers.needs(state.read_epoch, barriers.epoch());
    own[Work::l2_write_sectors] += 1;
    buffer.l2_write_sectors += 1;
    state.written = true;
    state.writer = writer;
    state.write_epoch = barriers.epoch();
  }
  void note_atomics(const Access& access, WorkSums& own) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      ++atomics[access.addresses[std::countr_zero(left)]];
      own[Work::atomics] += 1;
    }
  }
  void note_stored(const Access& access, WorkSums& own) {
    const uint64_t words = std::max<uint64_t>(1, access.bytes / sizeof(uint32_t));
    own[Work::stored_words] += static_cast<double>(words * static_cast<uint64_t>(std::popcount(access.lanes)));
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
  void note_silent_words(Tracing::InstructionSums& own) {
    for (const OldWord& old : old_words_) {
      for (uint32_t at = 0; at < old.count; at += sizeof(uint32_t)) {
        const size_t bytes = std::min<size_t>(sizeof(uint32_t), old.count - at);
        if (std::memcmp(old.at + at, old.bytes.data() + at, bytes) == 0) own.sums[Work::silent_words] += 1;
      }
    }
    old_words_.clear();
  }

  // --- local memory: a word of all lanes lies in one line, so that lanes at different places touch lines of their own
  static double local_lines(const Access& access) {
    std::array<uint64_t, kLanes> words;
    size_t count = 0;
    for (LaneMask left = access.lanes; left != 0; left &= left - 1)
      words[count++] = access.addresses[std::countr_zero(left)] / sizeof(uint32_t);
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    const auto different =
        std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count)) - words.begin();
    return static_cast<double>(different) * std::max(1.0, access.bytes / 4.0);
  }

  // --- shared memory
  void in_shared(const Access& access, const InstructionCost& cost, Time issued, WorkSums& own) {
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

  struct OldWord {
    const std::byte* at;
    uint32_t count;
    std::array<std::byte, 32> bytes;
  };

  const Tracing& tracing_;
  const Block& block_;
  std::vector<WarpClock> clocks_;
  std::map<int, std::vector<Arrival>> arrivals_;
  std::map<uint32_t, Phase> phases_;
  std::map<uint64_t, Time> copies_;  // bulk copies, by where they go: when their data is there
  bool simple_barriers_ = true;
  const Allocation* last_allocation_ = nullptr;
  Tracing::BufferSums* last_buffer_ = nullptr;
  // Of the instruction that is being executed.
  uint64_t path_lanes_ = 0;
  Time data_ready_;
  Work data_reason_ = Work::wait_global;
  std::vector<OldWord> old_words_;
  std::vector<uint64_t> bulk_targets_;

 public:
  std::vector<std::vector<Tracing::InstructionSums>> sums;  // beside Program::functions, by instruction
};

constexpr uint8_t kRead = 1;
constexpr uint8_t kWritten = 2;
constexpr double kGranuleBytes = 64;  // what DRAM fetches at least

}  // namespace

Tracing::Tracing(const Launch& launch, const gpu::GpuModel& model, BlockSample sample)
    : launch_(launch), rates_(gpu::rates_of(model)), sample_(std::move(sample)) {
  const auto threads = static_cast<double>(launch.block.volume());
  const double shared = launch.kernel->static_shared_bytes + static_cast<double>(launch.dynamic_shared_bytes) +
                        static_cast<double>(model.shared_bytes_reserved_per_block);
  const double fit = std::max(1.0, std::min({static_cast<double>(model.max_blocks_per_sm),
                                             static_cast<double>(model.max_threads_per_sm) / threads,
                                             static_cast<double>(model.shared_bytes_per_sm) / shared}));
  const double warps = std::max(1.0, fit * threads / kLanes);
  l1_bytes_per_warp_ = std::max(0.0, rates_.l1_bytes - fit * shared) / warps;
}

void Tracing::begin_launch(const LaunchView& view) {
  program_ = &view.program;
  costs_.clear();
  for (const Function& function : view.program.functions)
    costs_.push_back(instruction_costs(view.program, function, rates_));
  sums_.assign(costs_.size(), {});
  counts_.assign(costs_.size(), {});
}

std::unique_ptr<BlockObserver> Tracing::begin_block(const Block& block) {
  return std::make_unique<BlockTracing>(*this, block);
}

void Tracing::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& block = static_cast<BlockTracing&>(*observer);
  const Dim3& grid = launch_.grid;
  const Dim3& cluster = launch_.cluster;
  const uint64_t x = block.index % grid.x / cluster.x;
  const uint64_t y = block.index / grid.x % grid.y / cluster.y;
  const uint64_t z = block.index / grid.x / grid.y / cluster.z;
  const double weight = sample_.weight((z * (grid.y / cluster.y) + y) * (grid.x / cluster.x) + x);
  ++blocks_;
  weights_ += weight;
  for (size_t f = 0; f < sums_.size(); ++f) {
    const auto& from = block.sums[f];
    if (from.empty()) continue;
    if (sums_[f].empty()) sums_[f].resize(from.size());
    if (counts_[f].empty()) counts_[f].resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
      const InstructionSums& each = from[i];
      if (each.executed + each.off == 0) continue;
      gpu::InstructionCount& count = counts_[f][i];
      count.issued += each.executed + each.off;
      count.lanes += each.lanes;
      count.path_lanes += each.path_lanes;
      count.divergent += each.divergent;
      const InstructionCost& cost = costs_[f][i];
      const auto executed = static_cast<double>(each.executed);
      WorkSums own = each.sums;
      own[Work::issue] = executed * cost.issue + (cost.issue > 0 ? static_cast<double>(each.off) : 0);
      own[Work::fma] = executed * cost.fma;
      own[Work::alu] = executed * cost.alu;
      own[Work::xu] = executed * cost.xu;
      own[Work::fp64] = executed * cost.fp64;
      own[Work::lsu] = executed * cost.lsu;
      if (cost.issue > 0) {
        own[Work::instructions] = executed;
        own[Work::lanes] = static_cast<double>(each.lanes);
      }
      if (cost.address_arithmetic) {
        own[Work::address_instructions] = executed;
        own[Work::address_issue] = own[Work::issue];
      }
      if (cost.rule == ClockRule::collective) own[Work::shuffles] = executed;
      if (cost.rule == ClockRule::barrier) own[Work::barriers] = executed;
      sums_[f][i].add(own, weight);
    }
  }
  for (const auto& [name, from] : block.buffers) {
    BufferSums& into = buffers_[name];
    into.bytes = from.bytes;
    into.l2_read_sectors += weight * from.l2_read_sectors;
    into.l2_write_sectors += weight * from.l2_write_sectors;
    into.asked_sectors += weight * from.asked_sectors;
  }
  for (const auto& [name, range] : block.ranges) ranges_[name] = range;
  const auto name_of = [&](uint64_t sector) -> BufferSums* {
    const uint64_t address = sector * kSectorBytes;
    for (const auto& [name, range] : block.ranges) {
      if (address + kSectorBytes > range.first && address < range.second) return &buffers_[name];
    }
    return nullptr;
  };
  std::map<BufferSums*, Footprint> own;
  block.sectors.for_each([&](const SectorState& state) {
    BufferSums* const buffer = name_of(state.sector);
    if (buffer == nullptr) return;
    if (state.read) own[buffer].read_bytes += kSectorBytes;
    if (state.read && (state.sector % 2 == 0 || !block.sectors.was_read(state.sector - 1)))
      own[buffer].fetched_bytes += kGranuleBytes;
    if (state.written) own[buffer].written_bytes += kSectorBytes;
    touched_[state.sector] |= static_cast<uint8_t>((state.read ? kRead : 0) | (state.written ? kWritten : 0));
  });
  for (const auto& [buffer, bytes] : own) {
    for (double Footprint::* part : {&Footprint::read_bytes, &Footprint::fetched_bytes, &Footprint::written_bytes}) {
      buffer->blocks.*part += weight * bytes.*part;
      buffer->largest.*part = std::max(buffer->largest.*part, bytes.*part);
    }
  }
  for (const auto& [address, count] : block.atomics) atomics_[address] += weight * count;
  for (const auto& [site, count] : block.barriers.sites()) {
    auto& [complete, needed] = barriers_[{site >> 32, site & 0xffff'ffff}];
    complete += weight * static_cast<double>(count.complete);
    needed += weight * static_cast<double>(count.needed);
  }
  judges_barriers_ = judges_barriers_ && block.judges_barriers();
  const gpu::ChainCycles chain = block.chain();
  chains_.with_l2 += weight * chain.with_l2;
  chains_.with_dram += weight * chain.with_dram;
  longest_.with_l2 = std::max(longest_.with_l2, chain.with_l2);
  longest_.with_dram = std::max(longest_.with_dram, chain.with_dram);
}

void Tracing::add_instructions(gpu::LaunchWork& work) const {
  std::map<std::pair<std::string, int>, gpu::LineWork> lines;
  for (size_t f = 0; f < sums_.size(); ++f) {
    const Function& function = program_->functions[f];
    for (size_t i = 0; i < sums_[f].size(); ++i) {
      WorkSums own = sums_[f][i];
      const InstructionCost& cost = costs_[f][i];
      const double executed = own[Work::instructions];
      if (executed == 0 && own[Work::issue] == 0) continue;
      if (const auto site = barriers_.find({f, i}); site != barriers_.end() && site->second.first > 0)
        own[Work::needless_barriers] = own[Work::barriers] * (1 - site->second.second / site->second.first);
      work.total.add(own);
      if (cost.multiply_adds > 0)
        work.tensor_multiply_adds[cost.tensor_kind] += executed * static_cast<double>(cost.multiply_adds);
      Finding place;
      place.source = program_->source_chain(function.origins[i].location);
      const SourceLine* line = user_line(place);
      gpu::LineWork& of_line =
          lines[line == nullptr ? std::pair<std::string, int>() : std::pair(line->file, line->line)];
      if (line != nullptr) of_line.line = *line;
      of_line.sums.add(own);
      of_line.tensor_multiply_adds += executed * static_cast<double>(cost.multiply_adds);
    }
  }
  for (auto& [key, line] : lines) work.lines.push_back(std::move(line));
}

// What all blocks touch, from those that were run: the different bytes of each block add up, as far as the buffer goes;
// if those that were run all touch the same bytes, so do the others.
void Tracing::add_buffers(gpu::LaunchWork& work) const {
  std::map<std::string, Footprint> unions;
  for (const auto& [sector, how] : touched_) {
    const uint64_t address = sector * kSectorBytes;
    for (const auto& [name, range] : ranges_) {
      if (address + kSectorBytes <= range.first || address >= range.second) continue;
      const auto pair = touched_.find(sector - 1);
      const bool second = sector % 2 == 1 && pair != touched_.end() && (pair->second & kRead) != 0;
      if ((how & kRead) != 0) unions[name].read_bytes += kSectorBytes;
      if ((how & kRead) != 0 && !second) unions[name].fetched_bytes += kGranuleBytes;
      if ((how & kWritten) != 0) unions[name].written_bytes += kSectorBytes;
      break;
    }
  }
  constexpr double kSame = 1.02;
  for (const auto& [name, sums] : buffers_) {
    const Footprint& seen = unions[name];
    const auto unique = [&](double Footprint::* part) {
      if (!work.sampled() || (blocks_ > 1 && seen.*part <= kSame * sums.largest.*part)) return seen.*part;
      return std::max(seen.*part, std::min(sums.blocks.*part, static_cast<double>(sums.bytes)));
    };
    const bool by_all = blocks_ > 1 && seen.read_bytes > 0 && seen.read_bytes <= kSame * sums.largest.read_bytes;
    work.buffers.push_back({name, sums.bytes, sums.l2_read_sectors, sums.l2_write_sectors, sums.asked_sectors,
                            unique(&Footprint::read_bytes), unique(&Footprint::fetched_bytes),
                            unique(&Footprint::written_bytes), sums.blocks.fetched_bytes, by_all});
  }
}

std::vector<gpu::InstructionCount> Tracing::instructions() const {
  std::vector<gpu::InstructionCount> result;
  for (size_t f = 0; f < counts_.size(); ++f) {
    const Function& function = program_->functions[f];
    for (size_t i = 0; i < counts_[f].size(); ++i) {
      const InstructionOrigin& origin = function.origins[i];
      if (counts_[f][i].issued == 0 || origin.table_row == kNoTableRow) continue;
      gpu::InstructionCount count = counts_[f][i];
      count.function = function.name;
      count.ptx_line = origin.ptx_line;
      count.opcode = program_->opcodes[static_cast<size_t>(origin.opcode)];
      result.push_back(std::move(count));
    }
  }
  return result;
}

gpu::LaunchWork Tracing::work() const {
  gpu::LaunchWork work;
  work.grid = launch_.grid;
  work.block = launch_.block;
  work.blocks = launch_.grid.volume();
  work.counted_blocks = blocks_;
  work.warps_per_block = static_cast<int>((launch_.block.volume() + kLanes - 1) / kLanes);
  work.judges_barriers = judges_barriers_;
  add_instructions(work);
  add_buffers(work);
  if (weights_ > 0) work.mean_chain = {chains_.with_l2 / weights_, chains_.with_dram / weights_};
  work.longest_chain = longest_;
  for (const auto& [address, count] : atomics_) work.hottest_atomics = std::max(work.hottest_atomics, count);
  return work;
}

}  // namespace assay::vgpu
