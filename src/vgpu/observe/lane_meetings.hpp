// SPDX-License-Identifier: MIT
// Which lanes of a warp have met at a collective, and when: a shuffle or vote orders no memory, but a lane that has
// come to one has read what it read before. Lanes that have met hand on whom they met earlier.
#pragma once

#include <array>
#include <bit>
#include <memory>

#include "vgpu/observe/race_clock.hpp"

namespace assay::vgpu {

class LaneMeetings {
 public:
  // `existing`: all lanes that the warp has.
  void add(LaneMask lanes, LaneMask existing, Stamp stamp) {
    if (lanes == existing) {
      all_ = stamp;
      some_.reset();
      return;
    }
    if (some_ == nullptr) some_ = std::make_unique<Table>();
    Row joined{};
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      for (size_t other = 0; other < joined.size(); ++other)
        joined[other] = joined[other] < (*some_)[lane][other] ? (*some_)[lane][other] : joined[other];
    }
    for (LaneMask left = lanes; left != 0; left &= left - 1)
      joined[static_cast<size_t>(std::countr_zero(left))] = stamp;
    for (LaneMask left = lanes; left != 0; left &= left - 1)
      (*some_)[static_cast<size_t>(std::countr_zero(left))] = joined;
  }
  // Whether all of `others` have met the lane, by way of others or not, after they did something at that stamp.
  bool have_met(int lane, LaneMask others, Stamp stamp) const {
    if (stamp <= all_) return true;
    if (some_ == nullptr) return false;
    for (LaneMask left = others; left != 0; left &= left - 1) {
      if (stamp > (*some_)[static_cast<size_t>(lane)][static_cast<size_t>(std::countr_zero(left))]) return false;
    }
    return true;
  }

 private:
  using Row = std::array<Stamp, kLanes>;
  using Table = std::array<Row, kLanes>;
  Stamp all_ = 0;                // all lanes have, the last time
  std::unique_ptr<Table> some_;  // of each lane, each other one since then
};

}  // namespace assay::vgpu
