// SPDX-License-Identifier: MIT
// What a warp does with loops that wait for memory (spin_watch.hpp): it watches rounds of them, puts a path to sleep
// whose round changed nothing, and takes idle rounds out of the counts.
#include <algorithm>
#include <bit>

#include "vgpu/machine/block.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

void Warp::note_access(AccessKind kind, uint32_t bytes, const std::array<std::byte*, kLanes>& at, LaneMask lanes) {
  // What an atomic or an mbarrier changes differs from what was read when the round ends.
  if (kind != AccessKind::load && kind != AccessKind::atomic && kind != AccessKind::mbarrier) return spin_.effect();
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    spin_.read(at[static_cast<size_t>(std::countr_zero(left))], bytes);
}

bool Warp::waits_for_memory() const {
  return std::ranges::any_of(paths_, [](const Path& path) { return path.state == Path::State::at_memory; });
}

bool Warp::memory_changed() const {
  return std::ranges::any_of(
      paths_, [](const Path& path) { return path.state == Path::State::at_memory && SpinWatch::changed(path.polled); });
}

void Warp::begin_round(uint32_t target, bool again) {
  spin_.begin(*frame_, target, active, carry, again);
  block_->begin_round(*this);
}

void Warp::end_round(bool idle) {
  block_->end_round(*this, idle);
  if (!idle) {
    spin_.was_not_idle();
    return;
  }
  uint64_t threads = 0;
  for (const SpinWatch::Executed& instruction : spin_.executed()) {
    threads += instruction.lanes;
    if (instruction.count != nullptr) instruction.count->was_idle(instruction.lanes, instruction.lanes_off);
  }
  block_->count_idle(spin_.executed().size(), threads);
  spin_.was_counted();
}

// The path jumps back, in a loop that has polled. True: it waits for memory now.
bool Warp::ends_idle_round(uint32_t target) {
  if (spin_.on() && !spin_.is_round(frame_, target)) return false;  // a loop inside
  if (spin_.on()) {
    const bool idle = spin_.was_idle(*frame_, active, carry);
    const bool in_vain = spin_.was_in_vain(active);
    end_round(idle || in_vain);
    if (!idle && in_vain) {
      begin_round(target, true);
      return false;
    }
    if (idle) {
      Path& path = paths_[running_];
      path.state = Path::State::at_memory;
      path.polled = spin_.take_polled();
      path.pc = target;
      path.lanes = active;
      path.frame = frame_;
      pc = target;
      stop_ = true;
      return true;
    }
  }
  if (spin_.wants_to_begin()) {
    begin_round(target, false);
    stop_ = true;  // the loop that notes what is executed takes over
  }
  polled_at_ = kNoRow;
  return false;
}

}  // namespace assay::vgpu
