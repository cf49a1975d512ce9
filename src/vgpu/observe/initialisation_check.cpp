// SPDX-License-Identifier: MIT
#include "vgpu/observe/initialisation_check.hpp"

#include "vgpu/observe/block_initialisation_check.hpp"

namespace assay::vgpu {

void InitialisationCheck::begin_launch(const LaunchView& launch) {
  for (const Function& function : launch.program.functions) {
    if (plans_.contains(&function)) continue;
    plans_.emplace(&function,
                   FunctionPlan{definedness_steps(launch.program, function), FrameShadow::predicate_rows(function)});
  }
}

std::unique_ptr<BlockObserver> InitialisationCheck::begin_block(const Block& block) {
  auto observer = std::make_unique<BlockInitialisationCheck>(*this, block);
  const std::lock_guard lock(mutex_);
  running_[&block] = observer.get();
  return observer;
}

void InitialisationCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& ended = static_cast<BlockInitialisationCheck&>(*observer);
  const std::lock_guard lock(mutex_);
  found_.merge(std::move(ended.found));
  // The same Block may have begun anew: then another observer is in its place.
  const auto known = running_.find(&ended.block);
  if (known != running_.end() && known->second == &ended) running_.erase(known);
}

BlockInitialisationCheck* InitialisationCheck::of(const Block& block) {
  const std::lock_guard lock(mutex_);
  const auto known = running_.find(&block);
  return known != running_.end() ? known->second : nullptr;
}

}  // namespace assay::vgpu
