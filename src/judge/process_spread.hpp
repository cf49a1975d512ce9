// SPDX-License-Identifier: MIT
// How much the level of one process differs from that of another that runs the same kernel: a part of the time and a
// constant. Both are estimated from processes that ran on the machine (assay calibrate), neither is assumed.
#pragma once

#include <cstddef>
#include <span>

namespace assay::judge {

struct ProcessSpread {
  double part = 0;         // deviation, of the time
  double constant_us = 0;  // deviation

  double of(double microseconds) const;  // relative deviation of the level of a process that takes so long
  bool operator==(const ProcessSpread&) const = default;
};

// What was seen at one length.
struct SpreadPoint {
  double microseconds = 0;
  double deviation = 0;  // relative, of one process's level
  size_t processes = 0;  // from so many pairs

  bool operator==(const SpreadPoint&) const = default;
};

// Weighted least squares of the variances. Points of one length cannot tell a part from a constant: all of it counts as
// a part then.
ProcessSpread fit_spread(std::span<const SpreadPoint> points);

}  // namespace assay::judge
