// SPDX-License-Identifier: MIT
// Finds barriers and warp-synchronous instructions that are used against their rules: a barrier that only some threads
// of a warp or block reach, arrivals with different thread counts, member masks that name lanes which the warp does not
// have, shuffles that read lanes which do not take part.
//
// A thread that exits before a barrier is no mistake: since sm_70 a barrier waits for the threads that have not exited.
// One that skips the barrier and runs the code behind it is. The two differ in what the thread did since its last
// barrier: it has accessed memory at an instruction that is reached from this barrier by going forward.
#pragma once

#include <memory>

#include "vgpu/observe/check.hpp"

namespace assay::vgpu {

class SynchronisationCheck final : public Check {
 public:
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  const gpu::FindingList& found() const override { return found_; }

 private:
  gpu::FindingList found_;
};

// Whether `to` is executed after `from` on some way through the function that takes no backward branch.
bool leads_forward(const Function& function, size_t from, size_t to);

}  // namespace assay::vgpu
