// SPDX-License-Identifier: MIT
// Finds uses of what nothing has written: global, shared and local memory, registers and function parameters; and of
// shared memory that an asynchronous copy is still to bring. A byte that nothing wrote is followed through copies
// (loads and stores, cp.async, bulk copies, shuffles, packed moves). It is reported where it matters: in an address, in
// what decides a branch, or in arithmetic whose result is stored to global memory. A value that is loaded and dropped,
// as compilers do, is no finding, and neither is a plain copy of global or local bytes: padding is copied all the time.
// Shared memory has no padding worth copying to a result, so that a copy from there to global memory is a finding.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "vgpu/observe/check.hpp"
#include "vgpu/observe/definedness_rule.hpp"
#include "vgpu/observe/unwritten_memory.hpp"

namespace assay::vgpu {

class BlockInitialisationCheck;

class InitialisationCheck final : public Check {
 public:
  // `global` says what of global memory is unwritten, and is kept up to date; nullptr: all of it is written.
  explicit InitialisationCheck(UnwrittenMemory* global = nullptr) : global_(global) {}

  void begin_launch(const LaunchView& launch) override;
  std::unique_ptr<BlockObserver> begin_block(const Block& block) override;
  void end_block(std::unique_ptr<BlockObserver> observer) override;

  const gpu::FindingList& found() const override { return found_; }

  // --- for the observers of blocks
  UnwrittenMemory* global() { return global_; }
  struct FunctionPlan {
    std::vector<DefinednessStep> steps;  // of its instructions
    std::vector<uint32_t> predicates;    // its rows
  };
  const FunctionPlan& plan(const Function& function) const { return plans_.at(&function); }
  // Of a block that is running, in the same cluster as the one that asks; nullptr: of no such block.
  BlockInitialisationCheck* of(const Block& block);

 private:
  UnwrittenMemory* global_;
  std::map<const Function*, FunctionPlan> plans_;
  std::mutex mutex_;  // clusters run on threads of their own
  std::map<const Block*, BlockInitialisationCheck*> running_;
  gpu::FindingList found_;
};

}  // namespace assay::vgpu
