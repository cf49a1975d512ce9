// SPDX-License-Identifier: MIT
// Two estimated times, to settle what counters alone cannot: some of them grew and some fell. An estimate has a range
// that nine of ten measured times lie in; only where the ranges of both sides do not touch is the difference beyond the
// estimate's own error.
#pragma once

#include <string>

namespace assay::judge {

struct EstimatedTime {
  double us = 0;
  double low_us = 0;
  double high_us = 0;

  bool operator==(const EstimatedTime&) const = default;
};

struct EstimatedChange {
  EstimatedTime candidate;
  EstimatedTime baseline;

  bool slower() const { return candidate.low_us > baseline.high_us; }
  bool faster() const { return candidate.high_us < baseline.low_us; }
  bool operator==(const EstimatedChange&) const = default;
};

std::string describe(const EstimatedChange& change);

}  // namespace assay::judge
