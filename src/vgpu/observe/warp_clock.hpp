// SPDX-License-Identifier: MIT
// When the instructions of one warp issue, if it has the SM to itself. Inside a basic block an instruction issues when
// its operands are there and its pipe is free, as ptxas orders a block's instructions by their dependences; the next
// basic block begins when the last one of this block has issued. ptxas keeps few loads in flight, and takes none past a
// store to the same memory: sixteen from global memory, twelve registers from shared memory, three shuffles, as the
// machine code of ptxas 13.0 for sm_90 shows. Two clocks run side by side: data from beyond the L1 comes from the L2 in
// the first, from DRAM in the second.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/launch_work.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/observe/pipe_calendar.hpp"

namespace assay::vgpu {

struct Time {
  double l2 = 0;
  double dram = 0;

  friend Time operator+(Time a, double cycles) { return {a.l2 + cycles, a.dram + cycles}; }
  friend Time later(Time a, Time b) { return {std::max(a.l2, b.l2), std::max(a.dram, b.dram)}; }
};

// When a register can be used, and who makes it so late.
struct Ready {
  Time at;
  uint32_t producer = 0;  // the instruction
  gpu::Work reason = gpu::Work::wait_fixed;
};

// What an instruction keeps busy of its partition: issue slots, and cycles of one pipe.
enum class ClockPipe : uint8_t { fma, alu, xu, fp64, lsu, none };
struct PipeNeed {
  ClockPipe pipe = ClockPipe::none;
  float cycles = 0;
  float slots = 1;
};

class WarpClock {
 public:
  // When an instruction issues that needs this.
  Time peek(const Ready& needed, const PipeNeed& pipe) const {
    Time at = later(start_, needed.at);
    if (pipe.pipe == ClockPipe::none) return at;
    const auto which = static_cast<size_t>(pipe.pipe);
    at.l2 = calendars_[0][which].find(at.l2);
    at.dram = calendars_[1][which].find(at.dram);
    return at;
  }
  // It issues; returns when.
  Time issue(const Ready& needed, const PipeNeed& pipe) {
    Time at = later(start_, needed.at);
    const bool pipe_is_free = pipe.pipe == ClockPipe::none || pipe.cycles <= 0;
    if (!pipe_is_free) {
      const auto which = static_cast<size_t>(pipe.pipe);
      at.l2 = calendars_[0][which].take(at.l2, pipe.cycles);
      at.dram = calendars_[1][which].take(at.dram, pipe.cycles);
    }
    // Of the waits in a row the longest names who is waited for.
    if (at.dram - latest_.dram > longest_wait_) {
      longest_wait_ = at.dram - latest_.dram;
      critical_ = needed;
    }
    latest_ = later(latest_, at);
    slots_ += pipe.slots;
    return at;
  }
  Time now() const { return later(latest_, start_ + slots_); }

  struct Wait {
    double cycles = 0;
    Ready by;
  };
  // The basic block ends. What it waited, and for whom.
  Wait end_block() {
    const Time issued = start_ + slots_;
    const Wait wait{std::max(0.0, latest_.dram - issued.dram), critical_};
    start_ = later(latest_, issued);
    latest_ = start_;
    slots_ = 0;
    longest_wait_ = 0;
    forget();
    return wait;
  }
  // Nothing issues before that time; returns how long the warp waits.
  double wait_until(Time at) {
    const double cycles = std::max(0.0, at.dram - start_.dram);
    start_ = later(start_, at);
    latest_ = start_;
    forget();
    return cycles;
  }
  void delay(double cycles) { wait_until(start_ + cycles); }

  // Loads in flight.
  template <size_t kMost>
  class Window {
   public:
    // When `count` more can issue.
    Time open(size_t count) const {
      Time at;
      for (size_t i = 0; i < count; ++i) at = later(at, ready_[(next_ + i) % kMost]);
      return at;
    }
    void add(Time ready, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        ready_[next_] = ready;
        next_ = (next_ + 1) % kMost;
      }
    }

   private:
    std::array<Time, kMost> ready_{};  // when the data of the last ones is there, a ring
    size_t next_ = 0;
  };
  Window<16> loads;         // of global and local memory
  Window<12> shared_loads;  // registers that they fill
  Window<3> exchanges;      // shuffles and votes
  static constexpr size_t kSpaces = 4;
  std::array<Time, kSpaces> stored{};  // when the last store has issued, by OrderedIn

  // A branch that becomes predicates: what stands before `end` waits for its condition.
  void guard_until(uint32_t end, Time condition) {
    guarded_until_ = end;
    condition_ = condition;
  }
  Time guard(size_t at) const { return at < guarded_until_ ? condition_ : Time{}; }
  // A branch of a loop is taken again; true if that ends the basic block.
  bool ends_round(uint32_t branch, uint32_t rounds) {
    round_ = branch == looping_ ? round_ + 1 : 1;
    looping_ = branch;
    return round_ % rounds == 0;
  }

  // Groups of asynchronous work: what was issued since the last commit, and the groups that were committed.
  struct Groups {
    Time open;
    std::vector<Time> committed;

    void add(Time done) { open = later(open, done); }
    void commit() {
      committed.push_back(open);
      open = {};
    }
    // When all but the last `left` groups are done; those are forgotten.
    Time done(uint32_t left) {
      Time at;
      while (committed.size() > left) {
        at = later(at, committed.front());
        committed.erase(committed.begin());
      }
      return at;
    }
  };
  Groups copies;
  Groups products;
  // What it has waited for since its last barrier: others may wait there for it meanwhile.
  struct Waited {
    const Function* function;
    uint32_t producer;
    double cycles;
  };
  std::vector<Waited> since_barrier;
  void note_waited(const Function& function, uint32_t producer, double cycles) {
    constexpr size_t kMost = 32;  // places of a program; more make no difference to which is the longest
    const auto known = std::ranges::find_if(
        since_barrier, [&](const Waited& each) { return each.function == &function && each.producer == producer; });
    if (known != since_barrier.end()) {
      known->cycles += cycles;
    } else if (since_barrier.size() < kMost) {
      since_barrier.push_back({&function, producer, cycles});
    }
  }

  Time tensor_free;     // when the warp's tensor core can begin the next product
  uint32_t missed = 0;  // sectors that its loads brought from beyond the L1

 private:
  Time start_;
  Time latest_;
  double slots_ = 0;
  double longest_wait_ = 0;
  Ready critical_;
  static constexpr size_t kClocks = 2;  // data from the L2, from DRAM
  std::array<std::array<PipeCalendar, static_cast<size_t>(ClockPipe::none)>, kClocks> calendars_;
  uint32_t guarded_until_ = 0;
  Time condition_;
  uint32_t looping_ = ~uint32_t{0};
  uint32_t round_ = 0;

  void forget() {
    guarded_until_ = 0;
    for (PipeCalendar& calendar : calendars_[0]) calendar.forget(start_.l2);
    for (PipeCalendar& calendar : calendars_[1]) calendar.forget(start_.dram);
  }
};

}  // namespace assay::vgpu
