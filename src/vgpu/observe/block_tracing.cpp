// SPDX-License-Identifier: MIT
// Instructions of a block, and the clocks of its warps. This runs for every instruction: what before() and after() need
// is inline and stands in this file and the header.
#include "vgpu/observe/block_tracing.hpp"

#include <algorithm>
#include <bit>

namespace assay::vgpu {
namespace {

using gpu::Work;

}  // namespace

inline void BlockTracing::end_basic_block(const Warp& warp, const Function& function) {
  const WarpClock::Wait wait = clock_of(warp).end_block();
  if (wait.cycles <= 0) return;
  std::vector<Tracing::InstructionSums>& own = of(function);
  if (wait.by.producer >= own.size()) return;
  own[wait.by.producer].sums[wait.by.reason] += wait.cycles;
  clock_of(warp).note_waited(function, wait.by.producer, wait.cycles);
}

inline void BlockTracing::wait_for(const Warp& warp, const Function& function, size_t at, Time done, Work reason) {
  end_basic_block(warp, function);
  of(function)[at].sums[reason] += clock_of(warp).wait_until(done);
  clock_of(warp).issue({}, {});
}

inline double BlockTracing::tensor_cycles(const InstructionCost& cost) const {
  constexpr double kPartitions = 4;
  double rate = tracing_.rates().tensor_rate(cost.tensor_kind);
  if (rate == 0) rate = tracing_.rates().tensor_rate("mma.f16");
  return 2.0 * static_cast<double>(cost.multiply_adds) * kPartitions / rate;
}

inline void BlockTracing::run_clock(const Warp& warp, const Function& function, size_t at,
                                    const InstructionCost& cost) {
  WarpClock& clock = clock_of(warp);
  const Instruction& instruction = function.code[at];
  Ready need = needed_by(warp, instruction, function, at, cost);
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
      clock.issue({}, {});
      return;
    case ClockRule::branch:
      if (cost.join != 0) {  // predicates
        clock.guard_until(cost.join, need.at);
        return;
      }
      clock.issue(need, cost.pipe);
      if (cost.rounds > 1 && !clock.ends_round(producer, cost.rounds)) return;
      end_basic_block(warp, function);
      clock.delay(tracing_.rates().branch);
      return;
    case ClockRule::load:
      clock.issue(need, cost.pipe);
      if (cost.order != OrderedIn::shared) clock.loads.add(data_ready_, 1);
      if (cost.order == OrderedIn::shared) clock.shared_loads.add(data_ready_, cost.in_flight);
      results({data_ready_, producer, data_reason_});
      return;
    case ClockRule::store: {
      const Time issued = clock.issue(need, cost.pipe);
      Time& stored = clock.stored[static_cast<size_t>(cost.order)];
      stored = later(stored, issued);
      return;
    }
    case ClockRule::bulk_other:
      clock.issue(need, cost.pipe);
      return;
    case ClockRule::async_copy:
      clock.issue(need, cost.pipe);
      clock.copies.add(data_ready_);
      return;
    case ClockRule::bulk_copy:
      clock.issue(need, cost.pipe);
      for (const uint64_t target : bulk_targets_) copies_[target] = data_ready_;
      return;
    case ClockRule::async_commit:
      clock.copies.commit();
      clock.issue({}, cost.pipe);
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
      const Time issued = clock.issue(need, cost.pipe);
      clock.tensor_free = issued + cycles;
      results({issued + std::max<double>(cost.latency, cycles), producer, Work::wait_tensor});
      return;
    }
    case ClockRule::group_product: {
      const Time begin = later(clock.issue(need, cost.pipe), clock.tensor_free);
      clock.tensor_free = begin + cost.latency;
      clock.products.add(clock.tensor_free + tracing_.rates().latency_mma);
      return;
    }
    case ClockRule::collective: {
      const Time done = clock.issue(need, cost.pipe) + cost.latency;
      clock.exchanges.add(done, 1);
      results({done, producer, Work::wait_shared});
      return;
    }
    case ClockRule::mbarrier:
      results({clock.issue(need, cost.pipe) + cost.latency, producer, Work::wait_shared});
      return;
    case ClockRule::compute:
    case ClockRule::other:
      results(
          {clock.issue(need, cost.pipe) + cost.latency, producer, cost.xu > 0 ? Work::wait_shared : Work::wait_fixed});
      return;
  }
}

void BlockTracing::before(const Warp& warp, const Instruction& instruction) {
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
  if (cost.join != 0) {
    clock.guard_until(cost.join, later(guard_ready(warp, instruction).at, clock.guard(at)));
    return;
  }
  clock.issue(guard_ready(warp, instruction), {});
  if (cost.rule == ClockRule::branch) end_basic_block(warp, function);
}

void BlockTracing::after(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Function& function = *warp.frame().function;
  const size_t at = function.index_of(instruction);
  Tracing::InstructionSums& own = of(function)[at];
  ++own.executed;
  own.lanes += static_cast<uint64_t>(std::popcount(lanes));
  own.path_lanes += path_lanes_;
  if (static_cast<uint64_t>(std::popcount(lanes)) < path_lanes_) ++own.divergent;
  const InstructionCost& cost = tracing_.costs(function)[at];
  if (!old_words_.empty()) note_silent_words(own);
  run_clock(warp, function, at, cost);
}

void BlockTracing::met(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Function& function = *warp.frame().function;
  Tracing::InstructionSums& own = of(function)[function.index_of(instruction)];
  ++own.executed;
  own.lanes += static_cast<uint64_t>(std::popcount(lanes));
}

void BlockTracing::barrier_arrived(int barrier, const Warp& warp, LaneMask, bool waits) {
  const Function& function = *warp.frame().function;
  end_basic_block(warp, function);
  const size_t at = function.index_of(*warp.current_instruction());
  arrivals_[barrier].push_back({&warp, &function, at, clock_of(warp).now(), waits});
  if (barrier != 0) simple_barriers_ = false;
}

// The slowest warp holds up the others by what it waited for itself; if it never waited, by its way to the barrier.
void BlockTracing::note_held_up(const std::vector<Arrival>& arrivals) {
  const Arrival& last = *std::ranges::max_element(arrivals, {}, [](const Arrival& arrival) { return arrival.at.dram; });
  double held = 0;
  for (const Arrival& arrival : arrivals) held += arrival.waits ? last.at.dram - arrival.at.dram : 0;
  const std::vector<WarpClock::Waited>& waited = clock_of(*last.warp).since_barrier;
  double all = 0;
  for (const WarpClock::Waited& each : waited) all += each.cycles;
  for (const WarpClock::Waited& each : waited)
    of(*each.function)[each.producer].sums[Work::held_up] += held * each.cycles / all;
  if (waited.empty()) of(*last.function)[last.instruction].sums[Work::held_up] += held;
  for (const Arrival& arrival : arrivals) clock_of(*arrival.warp).since_barrier.clear();
}

void BlockTracing::barrier_completed(int barrier) {
  std::vector<Arrival>& arrivals = arrivals_[barrier];
  if (arrivals.empty()) return;
  note_held_up(arrivals);
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

void BlockTracing::mbarrier_arrived(uint32_t address, const Warp& warp, int) {
  Phase& phase = phases_[address];
  phase.pending = later(phase.pending, clock_of(warp).now());
}

void BlockTracing::mbarrier_completed(uint32_t address) {
  Phase& phase = phases_[address];
  phase.done = phase.pending;
  phase.pending = {};
}

void BlockTracing::mbarrier_awaited(uint32_t address, const Warp& warp, int) {
  const Function& function = *warp.frame().function;
  const size_t at = function.index_of(*warp.current_instruction());
  end_basic_block(warp, function);
  of(function)[at].sums[Work::wait_async] += clock_of(warp).wait_until(phases_[address].done);
}

void BlockTracing::landed(uint64_t offset, uint64_t, const Warp*, int, const uint32_t* mbarrier) {
  if (mbarrier == nullptr) return;
  const auto after = copies_.upper_bound(offset);
  if (after == copies_.begin()) return;
  Phase& phase = phases_[*mbarrier];
  phase.pending = later(phase.pending, std::prev(after)->second);
}

gpu::ChainCycles BlockTracing::chain() const {
  Time end;
  for (const WarpClock& clock : clocks_) end = later(end, clock.now());
  return {end.l2, end.dram};
}

}  // namespace assay::vgpu
