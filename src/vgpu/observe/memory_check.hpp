// SPDX-License-Identifier: MIT
// Finds bad memory accesses: out of bounds, misaligned, through null, after free; addresses in shared memory that were
// computed from one variable and lie in another. The access is skipped and the kernel goes on, so that one run shows
// them all. What repeats (the same line and thread) is folded into one finding. Memory of the device's heap that is not
// freed, and that no global memory points to when the kernel has ended, is a leak.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "vgpu/observe/check.hpp"
#include "vgpu/observe/shared_bounds.hpp"

namespace assay::vgpu {

class MemoryCheck final : public Check {
 public:
  void begin_launch(const LaunchView& view) override;
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;
  void end_launch(const GlobalMemory& memory, bool completed) override;

  const gpu::FindingList& found() const override { return found_; }

  // --- for the blocks
  const SharedRange& bounds(const Function& function, const Instruction& instruction) const {
    return bounds_[program_->index_of(function)][function.index_of(instruction)];
  }
  bool has_neighbours() const { return has_neighbours_; }
  // What the threads of a block took from the device's heap.
  struct HeapUse {
    std::map<const Instruction*, Finding> places;  // where they did; of the first thread
    struct Taken {
      uint64_t address = 0;
      const Instruction* at = nullptr;
      Dim3 thread;
    };
    std::vector<Taken> taken;
  };

 private:
  const Program* program_ = nullptr;
  std::vector<std::vector<SharedRange>> bounds_;  // of each function's instructions
  bool has_neighbours_ = false;                   // the kernel has several shared variables
  HeapUse heap_;
  gpu::FindingList found_;
};

}  // namespace assay::vgpu
