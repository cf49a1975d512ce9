// SPDX-License-Identifier: MIT
// When one pipe of a warp's partition is free, in steps of 32 cycles. An instruction takes the first step at or after
// the time at which its operands are there that has room: ptxas orders a basic block so that others fill what one
// leaves free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay::vgpu {

class PipeCalendar {
 public:
  // When an instruction could begin whose operands are there at `ready`.
  double find(double ready) const {
    const size_t step = first_open(ready);
    return std::max(ready, step < used_.size() ? base_ + static_cast<double>(step) * kStep + used_[step] : ready);
  }
  // It begins, and keeps the pipe for so many cycles; returns when.
  double take(double ready, double cycles) {
    const double at = find(ready);
    size_t step = first_open(ready);
    while (cycles > 0) {
      if (step >= used_.size()) used_.resize(step + kMore, 0.0F);
      const double room = std::min(cycles, std::max(0.0, kStep - static_cast<double>(used_[step])));
      used_[step] += static_cast<float>(room);
      cycles -= room;
      if (used_[step] >= kFull && step == open_) ++open_;
      ++step;
    }
    return at;
  }
  // Nothing will be asked for before that time any more.
  void forget(double before) {
    if (used_.empty() || before >= base_ + static_cast<double>(used_.size()) * kStep) {
      used_.clear();
      base_ = before;
      open_ = 0;
    } else if (before > base_) {
      const auto gone = static_cast<size_t>((before - base_) / kStep);
      used_.erase(used_.begin(), used_.begin() + static_cast<std::ptrdiff_t>(gone));
      base_ += static_cast<double>(gone) * kStep;
      open_ -= std::min(open_, gone);
    }
  }

 private:
  static constexpr double kStep = 32;
  static constexpr double kFull = kStep - 1e-3;
  static constexpr size_t kMore = 16;

  size_t first_open(double ready) const {
    size_t step = ready <= base_ ? 0 : static_cast<size_t>((ready - base_) / kStep);
    step = std::max(step, open_);
    while (step < used_.size() && used_[step] >= kFull) ++step;
    return step;
  }

  std::vector<float> used_;  // cycles of each step
  double base_ = 0;          // when the first step begins
  size_t open_ = 0;          // steps before this one are full
};

}  // namespace assay::vgpu
