// SPDX-License-Identifier: MIT
// How far a launch reaches into some ranges of global memory: bytes up to the last one that any thread touches.
#pragma once

#include <memory>
#include <vector>

#include "gpu/memory_range.hpp"
#include "vgpu/machine/observer.hpp"

namespace assay::vgpu {

class ReachWatch final : public Observer {
 public:
  explicit ReachWatch(std::vector<gpu::MemoryRange> ranges) : ranges_(std::move(ranges)), reach_(ranges_.size(), 0) {}

  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  const std::vector<uint64_t>& reach() const { return reach_; }  // of each range; 0: nobody touched it

 private:
  std::vector<gpu::MemoryRange> ranges_;
  std::vector<uint64_t> reach_;
};

}  // namespace assay::vgpu
