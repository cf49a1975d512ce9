// SPDX-License-Identifier: MIT
// From blocks to the units of a comparison: stretches of samples whose levels count as independent.
//
// Blocks are the units as they are if there are 4 to 40 of them. More are joined into 20 (a block of one sample is no
// unit, and neighbours are correlated); fewer are cut into stretches, and the comparison then counts as not
// interleaved, because nothing separates the kernel from the moment it ran.
#pragma once

#include <string>
#include <vector>

#include "judge/block.hpp"
#include "judge/comparison.hpp"

namespace assay::judge {

struct Units {
  Blocks candidate;
  Blocks baseline;
  bool paired = false;  // candidate[i] was taken beside baseline[i]
  std::vector<std::string> warnings;
};

inline constexpr size_t kMinimumUnits = 4;
inline constexpr size_t kMaximumUnits = 40;
inline constexpr size_t kJoinedUnits = 20;
inline constexpr size_t kCutUnits = 10;

// Throttled samples are dropped, and a pair of blocks with them where they are more than half; unless `keep_throttled`.
Units make_units(const Blocks& candidate, const Blocks& baseline, bool interleaved, bool keep_throttled);

}  // namespace assay::judge
