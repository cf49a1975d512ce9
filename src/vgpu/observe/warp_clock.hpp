// SPDX-License-Identifier: MIT
// When the instructions of one warp issue, if it has the SM to itself. Inside a basic block an instruction issues when
// its operands are there, as ptxas orders a block's instructions by their dependences; the next basic block begins when
// the last one of this block has issued. Two clocks run side by side: data from beyond the L1 comes from the L2 in the
// first, from DRAM in the second.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/launch_work.hpp"

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

class WarpClock {
 public:
  // An instruction issues that needs this; returns when.
  Time issue(const Ready& needed, double slots) {
    const Time at = later(start_, needed.at);
    // Of the waits in a row the longest names who is waited for.
    if (at.dram - latest_.dram > longest_wait_) {
      longest_wait_ = at.dram - latest_.dram;
      critical_ = needed;
    }
    latest_ = later(latest_, at);
    slots_ += slots;
    return at;
  }
  Time peek(const Ready& needed) const { return later(start_, needed.at); }
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
    return wait;
  }
  // Nothing issues before that time; returns how long the warp waits.
  double wait_until(Time at) {
    const double cycles = std::max(0.0, at.dram - start_.dram);
    start_ = later(start_, at);
    latest_ = start_;
    return cycles;
  }
  void delay(double cycles) { wait_until(start_ + cycles); }

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
  Time tensor_free;     // when the warp's tensor core can begin the next product
  uint32_t missed = 0;  // sectors that its loads brought from beyond the L1

 private:
  Time start_;
  Time latest_;
  double slots_ = 0;
  double longest_wait_ = 0;
  Ready critical_;
};

}  // namespace assay::vgpu
