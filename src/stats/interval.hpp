// SPDX-License-Identifier: MIT
// An interval of numbers, both ends included.
#pragma once

namespace assay::stats {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
  double width() const { return high - low; }
  bool operator==(const Interval&) const = default;
};

}  // namespace assay::stats
