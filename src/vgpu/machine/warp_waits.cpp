// SPDX-License-Identifier: MIT
// Where lanes of a warp wait: for each other at a collective, at barriers of the block and the cluster, at mbarriers,
// for registers. A path that waits remembers the instruction, and mostly executes it again when something wakes it.
#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "base/text.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

bool Warp::converged() {
  if ((live_lanes() & ~mask) == 0) return true;
  wait_for_members(mask, live_lanes(), nullptr);
  return false;
}

Place Warp::place_of(const Path& path, LaneMask lanes) const {
  return {{path.frame->rows, const_cast<std::byte*>(path.frame->function->constants.data())},
          &path.frame->function->code[path.pc],
          lanes,
          static_cast<size_t>(&path - paths_.data())};
}

std::span<const Place> Warp::meet(const Instruction& instruction, LaneMask members, LaneMask lanes) {
  meeting_.clear();
  meeting_.push_back({{bases_[0], bases_[1]}, &instruction, lanes, running_});
  LaneMask missing = members & live_lanes() & ~lanes;
  if (missing == 0) return meeting_;
  for (const Path& path : paths_) {
    if (path.state != Path::State::at_warp_sync || path.collective == nullptr || (path.lanes & missing) == 0) continue;
    Place place = place_of(path, 0);
    const auto* masks = place.row<LaneMask>(place.instruction->row_count - 1u);
    for (LaneMask left = path.lanes & missing; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (((masks[lane] ^ members) & existing_) == 0) place.lanes |= LaneMask{1} << lane;
    }
    if (place.lanes == 0) continue;
    missing &= ~place.lanes;
    meeting_.push_back(place);
  }
  if (missing != 0) return {};
  for (const Place& place : meeting_) {
    if (place.instruction->handler == instruction.handler) continue;
    report_different_collectives(meeting_.front(), place, members);
    return {};
  }
  return meeting_;
}

void Warp::report_different_collectives(const Place& here, const Place& there, LaneMask members) {
  const Path& path = paths_[there.path];
  const Finding other = describe_in(*path.frame, *there.instruction, std::countr_zero(there.lanes));
  const SourceLine* line = user_line(other);
  fault(FindingKind::illegal_instruction,
        fmt::format("lanes 0x{:08x} execute this and lanes 0x{:08x} execute '{}' at {}, with the same member mask "
                    "0x{:08x}: all members must execute the same instruction",
                    here.lanes, there.lanes, trim(other.instruction),
                    line != nullptr ? fmt::format("{}:{}", line->file, line->line)
                                    : fmt::format("line {} of the PTX", other.ptx_line),
                    members),
        std::countr_zero(here.lanes));
}

void Warp::go_on(std::span<const Place> places) {
  if (places.size() <= 1) return;
  for (const Place& place : places.subspan(1)) {
    Path& path = paths_[place.path];
    if (ExecutionCount* counts = block_->executions(*path.frame->function))
      counts[path.pc].add(static_cast<uint64_t>(std::popcount(place.lanes)), 0);
    if (path.frame == frame_) {
      for (BlockObserver* const follower : block_->followers()) follower->met(*this, *place.instruction, place.lanes);
    }
    Path ahead = path;
    ahead.lanes = place.lanes;
    ahead.state = Path::State::ready;
    ++ahead.pc;
    path.lanes &= ~place.lanes;
    if (!join(ahead, running_)) paths_.push_back(ahead);
  }
  for (size_t i = paths_.size(); i-- > 0;) {
    if (paths_[i].lanes != 0 || i == running_) continue;
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < running_) --running_;
  }
}

void Warp::wait_for_members(LaneMask lanes, LaneMask members, const Instruction* collective) {
  note_effect();
  if (lanes == active) {
    paths_[running_].sync_members = members;
    paths_[running_].collective = collective;
    sleep(Path::State::at_warp_sync);
    return;
  }
  Path path;
  path.frame = frame_;
  path.pc = pc - 1;
  path.lanes = lanes;
  path.state = Path::State::at_warp_sync;
  path.turn_left = std::max(1, turn_left_);
  path.sync_members = members;
  path.collective = collective;
  coming_back_ = lanes;
  active &= ~lanes;
  stop_ = true;
  if (!join(path, running_)) paths_.push_back(path);
}

void Warp::wait_at_barrier(int barrier, uint32_t expected, uint32_t trues, const Instruction* reduction) {
  if (mask != active) part(active & ~mask, frame_, pc);  // lanes whose guard is off do not arrive; they go on
  Path& path = paths_[running_];
  path.frame = frame_;
  path.pc = pc;
  path.lanes = active;
  path.state = Path::State::at_barrier;
  path.barrier = static_cast<uint8_t>(barrier);
  path.reduction = reduction;
  note_effect();
  stop_ = true;
  block_->arrive(barrier, *this, active, expected, trues, true);
}

bool Warp::wait_at_mbarrier(uint32_t address) {
  if (mask != active) part(active & ~mask, frame_, pc);  // lanes whose guard is off go on
  Path& path = paths_[running_];
  if (path.timed_out) {
    path.timed_out = false;
    return false;
  }
  path.mbarrier = address;
  sleep(Path::State::at_mbarrier);
  return true;
}

void Warp::wait_for_registers(uint32_t per_thread) {
  if (mask != active) part(active & ~mask, frame_, pc);
  paths_[running_].registers = per_thread;
  sleep(Path::State::at_registers);
}

void Warp::wait_at_cluster_barrier() {
  if (mask != active) part(active & ~mask, frame_, pc);
  sleep(Path::State::at_cluster);
}

void Warp::sleep(Path::State state) {
  note_effect();
  Path& path = paths_[running_];
  coming_back_ = active;
  path.state = state;
  path.pc = pc - 1;
  path.lanes = active;
  path.frame = frame_;
  stop_ = true;
  path_ended_ = join(path, running_);  // lanes that stand here already are joined at once
}

}  // namespace assay::vgpu
