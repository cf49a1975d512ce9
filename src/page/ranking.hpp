// SPDX-License-Identifier: MIT
// Contenders of one case in order, with tie groups.
#pragma once

#include <string>
#include <vector>

#include "page/content.hpp"

namespace assay::page {

struct Ranked {
  std::string name;
  std::string variant;  // the configuration, and which source
  double p50_us = 0;
  stats::Interval median_us;
  int64_t attempt = 0;
  int group = 1;
};

struct Board {
  std::string shape;
  std::string gpu;
  std::string protocol;
  std::vector<Ranked> ranked;
};

// The newest measurement of each contender that was good, for each shape, device, protocol and contract with at least
// `least` of them.
std::vector<Board> boards_of(const std::vector<MeasuredCase>& cases, size_t least = 2);

}  // namespace assay::page
