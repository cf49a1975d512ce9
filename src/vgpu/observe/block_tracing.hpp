// SPDX-License-Identifier: MIT
// The observer behind estimates, of one block: the clocks of its warps and what orders them (block_tracing.cpp), and
// what its accesses cost (access_tracing.cpp).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/barrier_need.hpp"
#include "vgpu/observe/sector_table.hpp"
#include "vgpu/observe/tracing.hpp"
#include "vgpu/observe/warp_clock.hpp"

namespace assay::vgpu {

class BlockTracing final : public BlockObserver {
 public:
  BlockTracing(const Tracing& tracing, const Block& block)
      : index(block.linear_index()), sums(tracing.program().functions.size()), tracing_(tracing), block_(block) {}

  bool follows_instructions() const override { return true; }
  bool follows_order() const override { return true; }

  void before(const Warp& warp, const Instruction& instruction) override;
  void after(const Warp& warp, const Instruction& instruction, LaneMask lanes) override;
  void met(const Warp& warp, const Instruction& instruction, LaneMask lanes) override;
  LaneMask access(const Access& access) override;

  // --- what orders warps
  void barrier_arrived(int barrier, const Warp& warp, LaneMask lanes, bool waits) override;
  void barrier_completed(int barrier) override;
  void mbarrier_initialised(uint32_t, const Warp&, int) override { simple_barriers_ = false; }
  void mbarrier_arrived(uint32_t address, const Warp& warp, int lane) override;
  void mbarrier_completed(uint32_t address) override;
  void mbarrier_awaited(uint32_t address, const Warp& warp, int lane) override;
  void landed(uint64_t offset, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier) override;
  void cluster_arrived(const Warp&, LaneMask) override { simple_barriers_ = false; }

  // --- when the block has ended
  gpu::ChainCycles chain() const;
  bool judges_barriers() const { return simple_barriers_; }

  const uint64_t index;
  BarrierNeed barriers;
  std::vector<std::vector<Tracing::InstructionSums>> sums;  // beside Program::functions, by instruction
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
  struct OldWord {
    const std::byte* at;
    uint32_t count;
    std::array<std::byte, 32> bytes;
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
  size_t site_of(const Function& function, size_t instruction) const {
    return tracing_.program().index_of(function) << 32 | instruction;
  }

  // --- registers
  using FrameClock = std::vector<Ready>;  // when those of one activation can be used, by their place in the frame
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

  // The same with what the clock adds: the condition of a branch before it, what is in flight, stores before it.
  Ready needed_by(const Warp& warp, const Instruction& instruction, const Function& function, size_t at,
                  const InstructionCost& cost) {
    Ready latest = needed(warp, instruction, function, at);
    const WarpClock& clock = clock_of(warp);
    latest.at = later(latest.at, clock.guard(at));
    if (cost.rule == ClockRule::collective) latest.at = later(latest.at, clock.exchanges.open(1));
    if (cost.rule != ClockRule::load) return latest;
    if (cost.order != OrderedIn::nothing) latest.at = later(latest.at, clock.stored[static_cast<size_t>(cost.order)]);
    if (cost.order != OrderedIn::shared) {
      latest.at = later(latest.at, clock.loads.open(1));
    } else if (cost.memory != ptx::Operation::matrix_load) {
      latest.at = later(latest.at, clock.shared_loads.open(cost.in_flight));
    }
    return latest;
  }

  // --- clocks; block_tracing.cpp alone has and uses these, or they would not be inlined
  void end_basic_block(const Warp& warp, const Function& function);
  void run_clock(const Warp& warp, const Function& function, size_t at, const InstructionCost& cost);
  void wait_for(const Warp& warp, const Function& function, size_t at, Time done, gpu::Work reason);
  double tensor_cycles(const InstructionCost& cost) const;
  void note_held_up(const std::vector<Arrival>& arrivals);

  // --- accesses; likewise in access_tracing.cpp
  void in_global(const Access& access, const InstructionCost& cost, Time issued, gpu::WorkSums& own);
  void in_shared(const Access& access, const InstructionCost& cost, Time issued, gpu::WorkSums& own);
  Tracing::BufferSums& buffer_at(uint64_t address);
  void read_sector(SectorState& state, const Warp& warp, const InstructionCost& cost, Time issued, gpu::WorkSums& own,
                   Tracing::BufferSums& buffer, bool bulk);
  void write_sector(SectorState& state, const Warp& warp, gpu::WorkSums& own, Tracing::BufferSums& buffer);
  void note_atomics(const Access& access, gpu::WorkSums& own);
  void note_stored(const Access& access, gpu::WorkSums& own);
  void data_at(Time at, gpu::Work reason);
  void note_silent_words(Tracing::InstructionSums& own);  // of old_words_; also for block_tracing.cpp

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
  gpu::Work data_reason_ = gpu::Work::wait_global;
  std::vector<OldWord> old_words_;
  std::vector<uint64_t> bulk_targets_;
};

}  // namespace assay::vgpu
