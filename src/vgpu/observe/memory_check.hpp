// SPDX-License-Identifier: MIT
// Finds bad memory accesses: out of bounds, misaligned, through null, after free. The access is skipped and the kernel
// goes on, so that one run shows them all. What repeats (the same line and thread) is folded into one finding.
#pragma once

#include <memory>

#include "vgpu/observe/check.hpp"

namespace assay::vgpu {

class MemoryCheck final : public Check {
 public:
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  const gpu::FindingList& found() const override { return found_; }

 private:
  gpu::FindingList found_;
};

}  // namespace assay::vgpu
