// SPDX-License-Identifier: MIT
#include "vgpu/observe/memory_check.hpp"

#include <array>
#include <bit>

#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// The lanes' addresses as one interval, and all their bits together.
struct Extent {
  uint64_t first = ~uint64_t{0};
  uint64_t last = 0;
  uint64_t bits = 0;
};

Extent extent_of(const Access& access) {
  Extent extent;
  if (access.lanes == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t address = access.addresses[lane];
      extent.first = address < extent.first ? address : extent.first;
      extent.last = address > extent.last ? address : extent.last;
      extent.bits |= address;
    }
    return extent;
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const uint64_t address = access.addresses[std::countr_zero(left)];
    extent.first = address < extent.first ? address : extent.first;
    extent.last = address > extent.last ? address : extent.last;
    extent.bits |= address;
  }
  return extent;
}

class BlockMemoryCheck final : public BlockObserver {
 public:
  explicit BlockMemoryCheck(const Block& block) : block_(block) {}

  LaneMask access(const Access& access) override {
    const Extent extent = extent_of(access);
    const bool aligned = (extent.bits & (access.bytes - 1)) == 0;
    if (aligned && inside(access, extent.first, extent.last + access.bytes)) return access.lanes;
    return look_closely(access);
  }

  gpu::FindingList found;

 private:
  // All lanes in one allocation, or inside the space: the usual case, decided without looking at single lanes.
  bool inside(const Access& access, uint64_t first, uint64_t end) {
    switch (access.space) {
      case Space::global:
        return inside_global(first, end);
      case Space::shared:
        return end <= block_.shared_bytes();
      case Space::local:
        return end <= access.warp.frame().local_top;
      default:
        return false;
    }
  }

  bool inside_global(uint64_t first, uint64_t end) {
    for (const Allocation* allocation : recent_) {
      if (allocation != nullptr && !allocation->freed && allocation->covers(first, end)) return true;
    }
    const Allocation* allocation = block_.grid().memory.containing(first);
    if (allocation == nullptr || allocation->freed || !allocation->covers(first, end)) return false;
    recent_[next_++ % recent_.size()] = allocation;
    return true;
  }

  LaneMask look_closely(const Access& access) {
    LaneMask good = access.lanes;
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      auto problem = access_fault(access.warp, access.space, access.kind, access.bytes, access.addresses[lane]);
      if (!problem) continue;
      good &= ~(LaneMask{1} << lane);
      found.add(placed(access.warp.describe(access.instruction, lane), std::move(*problem)));
    }
    return good;
  }

  const Block& block_;
  std::array<const Allocation*, 4> recent_{};
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<BlockObserver> MemoryCheck::begin_block(const Block& block) {
  return std::make_unique<BlockMemoryCheck>(block);
}

void MemoryCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  found_.merge(std::move(static_cast<BlockMemoryCheck&>(*observer).found));
}

}  // namespace assay::vgpu
