// SPDX-License-Identifier: MIT
#include "vgpu/observe/reach_watch.hpp"

#include <algorithm>

#include "vgpu/machine/block.hpp"
#include "vgpu/observe/each_lane.hpp"

namespace assay::vgpu {
namespace {

class BlockReachWatch final : public BlockObserver {
 public:
  explicit BlockReachWatch(const std::vector<gpu::MemoryRange>& ranges) : reach(ranges.size(), 0), ranges_(ranges) {}

  LaneMask access(const Access& access) override {
    if (access.space == Space::global)
      for_each(access.lanes, [&](int lane) { touch(access.addresses[lane], access.bytes); });
    return access.lanes;
  }

  std::vector<uint64_t> reach;

 private:
  void touch(uint64_t address, uint64_t bytes) {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      if (address < ranges_[i].address || address - ranges_[i].address >= ranges_[i].bytes) continue;
      reach[i] = std::max(reach[i], address + bytes - ranges_[i].address);
      return;
    }
  }

  const std::vector<gpu::MemoryRange>& ranges_;
};

}  // namespace

std::unique_ptr<BlockObserver> ReachWatch::begin_block(const Block&) {
  return std::make_unique<BlockReachWatch>(ranges_);
}

void ReachWatch::end_block(std::unique_ptr<BlockObserver> observer) {
  const auto& block = static_cast<const BlockReachWatch&>(*observer);
  for (size_t i = 0; i < reach_.size(); ++i) reach_[i] = std::max(reach_[i], block.reach[i]);
}

}  // namespace assay::vgpu
