// SPDX-License-Identifier: MIT
// What a device is beside a Device if it can say how far a launch reaches into memory.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/memory_range.hpp"

namespace assay::device {

class ReachWatcher {
 public:
  virtual ~ReachWatcher() = default;
  // The launches that follow are watched; with no range, they are not.
  virtual void watch_reach(std::vector<gpu::MemoryRange> ranges) = 0;
  // Of the last launch: of each range, the bytes up to the last one that was touched.
  virtual const std::vector<uint64_t>& reach() const = 0;
};

}  // namespace assay::device
