// SPDX-License-Identifier: MIT
// How a warp's paths diverge, reconverge and are scheduled. Among paths that can run, the one in the deepest call and
// then the one at the lowest instruction goes first: compilers lay code out so that this is where lanes meet again. A
// path that loops for long steps back behind the others, so that lanes which spin on a lock let its holder release it.
// Beside this file: where paths wait (warp_waits.cpp), loops that only wait for memory (warp_spins.cpp), calls
// (warp_calls.cpp), asynchronous copies (async_copy.cpp).
#include "vgpu/machine/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {

void Warp::start(Block& block, int index, const Function& entry) {
  block_ = &block;
  index_ = index;
  exited_ = 0;
  carry = 0;
  paths_.clear();
  frames_.clear();
  pending_copies_.clear();
  spin_.start();
  polled_at_ = kNoRow;
  committed_.fill(0);
  copies_issued_ = 0;
  cluster_phase.fill(0);
  bulk_stores.start();
  const uint64_t threads = block.grid().launch.block.volume();
  const uint64_t first = static_cast<uint64_t>(index) * kLanes;
  const uint64_t count = std::min<uint64_t>(kLanes, threads - first);
  existing_ = count == kLanes ? kAllLanes : (LaneMask{1} << count) - 1;

  local_stride_ = entry.needs_stack ? kStackBytes : entry.local_bytes;
  const size_t local_bytes = static_cast<size_t>(local_stride_) * kLanes;
  if (local_bytes > local_capacity_) {
    local_ = std::make_unique<std::byte[]>(local_bytes);
    local_capacity_ = local_bytes;
  } else if (local_bytes > 0 && !entry.needs_stack) {
    std::memset(local_.get(), 0, local_bytes);
  }
  auto made = make_frame(entry);
  made->lanes = existing_;
  made->local_top = entry.local_bytes;
  Path path;
  path.frame = made.get();
  path.lanes = existing_;
  frames_.push_back(std::move(made));
  paths_.push_back(path);
}

Dim3 Warp::thread_of(int lane) const {
  const Dim3& block = block_->grid().launch.block;
  const auto linear = static_cast<uint32_t>(index_ * kLanes + lane);
  return {linear % block.x, linear / block.x % block.y, linear / (block.x * block.y)};
}

const Instruction* Warp::current_instruction() const {
  return &frame_->function->code[pc - 1];
}

void Warp::run() {
  while (!block_->stopped()) {
    Path* path = pick();
    if (path == nullptr) return;
    enter(*path);
    ExecutionCount* const counts = block_->executions(*frame_->function);
    if (spin_.on() || !block_->followers().empty()) {
      loop<Mode::watching>(counts);
    } else if (counts != nullptr) {
      loop<Mode::counting>(counts);
    } else {
      loop<Mode::plain>(nullptr);
    }
    leave();
  }
}

Path* Warp::pick() {
  Path* best = nullptr;
  bool any_ready = false;
  for (Path& path : paths_) {
    if (path.state == Path::State::at_memory && SpinWatch::changed(path.polled)) {
      path.state = Path::State::ready;
      path.was_polling = true;
    }
    if (path.state != Path::State::ready) continue;
    any_ready = true;
    if (path.had_turn) continue;
    const bool better = best == nullptr || path.frame->depth > best->frame->depth ||
                        (path.frame->depth == best->frame->depth && path.pc < best->pc);
    if (better) best = &path;
  }
  if (best != nullptr) return best;
  if (!any_ready) return nullptr;
  for (Path& path : paths_) path.had_turn = false;  // all have had theirs: the next warp, then again from the start
  return nullptr;
}

void Warp::enter(Path& path) {
  running_ = static_cast<size_t>(&path - paths_.data());
  frame_ = path.frame;
  bases_[0] = frame_->rows;
  bases_[1] = const_cast<std::byte*>(frame_->function->constants.data());
  active = path.lanes;
  pc = path.pc;
  stop_ = false;
  path_ended_ = false;
  turn_left_ = path.turn_left;
  if (spin_.on() && (path.was_polling || !spin_.follows(frame_, active))) end_round(false);
  if (path.was_polling) {
    path.was_polling = false;
    begin_round(pc, true);
  }
  limit_ = kNoRow;
  for (const Path& other : paths_) {
    const bool can_join = &other != &path && other.frame == path.frame && other.state != Path::State::at_barrier;
    if (can_join && other.pc > path.pc) limit_ = std::min(limit_, other.pc);
  }
}

template <Warp::Mode M>
void Warp::loop([[maybe_unused]] ExecutionCount* counts) {
  const Instruction* code = frame_->function->code.data();
  const auto threads = static_cast<uint64_t>(std::popcount(active));  // what changes them ends the loop
  uint64_t executed = 0;
  do {
    const Instruction& instruction = code[pc];
    ++pc;
    ++executed;
    mask = active;
    if (instruction.guard != kNoRow) {
      const LaneMask predicate = *row<LaneMask>(instruction.guard);
      mask &= instruction.guard_negated ? ~predicate : predicate;
    }
    if constexpr (M == Mode::watching) {
      for (BlockObserver* const follower : block_->followers()) follower->before(*this, instruction);
      if (spin_.on()) {
        spin_.executed({counts != nullptr ? &counts[pc - 1] : nullptr, static_cast<uint32_t>(threads),
                        static_cast<uint32_t>(std::popcount(active & ~mask))});
      }
    }
    if (mask == 0) {
      if (M == Mode::counting || (M == Mode::watching && counts != nullptr)) counts[pc - 1].add(threads, threads);
      continue;
    }
    if constexpr (M == Mode::watching) {
      execute_watched(instruction, counts);
    } else if constexpr (M == Mode::counting) {
      execute_counted(instruction, counts[pc - 1]);
    } else {
      instruction.handler(*this, instruction);
    }
  } while (!stop_ && pc != limit_);
  block_->count(executed, executed * threads);
}

void Warp::execute_watched(const Instruction& instruction, ExecutionCount* counts) {
  const Frame* const frame = frame_;
  const LaneMask lanes = mask;
  coming_back_ = 0;
  if (counts != nullptr) {
    execute_counted(instruction, counts[pc - 1]);
  } else {
    instruction.handler(*this, instruction);
  }
  const LaneMask done = lanes & ~coming_back_;
  if (done != 0 && frame_ == frame && !block_->stopped()) {
    for (BlockObserver* const follower : block_->followers()) follower->after(*this, instruction, done);
  }
  if (spin_.on() && spin_.had_effect()) {
    end_round(false);
    stop_ = true;  // the faster loop takes over
  }
}

void Warp::execute_counted(const Instruction& instruction, ExecutionCount& count) {
  const LaneMask before = active;
  const LaneMask on = mask;
  coming_back_ = 0;
  instruction.handler(*this, instruction);
  const LaneMask done = before & ~coming_back_;
  if (done == 0) return;
  count.add(static_cast<uint64_t>(std::popcount(done)), static_cast<uint64_t>(std::popcount(done & ~on)));
  if (active != before) ++count.divergent;
}

void Warp::leave() {
  if (path_ended_) {
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(running_));
  } else {
    Path& path = paths_[running_];
    if (path.state == Path::State::ready) {
      path.pc = pc;
      path.lanes = active;
      path.frame = frame_;
      path.had_turn |= turn_left_ <= 0;
      path.turn_left = turn_left_ > 0 ? turn_left_ : Path::kTurn;
      if (join(path, running_)) paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(running_));
    }
  }
  if (block_->over_limit() && !block_->stopped()) {
    // The place is where the path would go on: the last instruction may have been a jump to here.
    const auto& code = frame_->function->code;
    const LaneMask lanes = active != 0 ? active : existing_;
    Finding finding = describe(code[std::min<size_t>(pc, code.size() - 1)], std::countr_zero(lanes));
    finding.kind = FindingKind::instruction_limit;
    finding.message =
        "the block executed more warp instructions than allowed: an endless loop, or a wait for something that never "
        "comes";
    block_->report(std::move(finding));
  }
}

bool Warp::join(const Path& from, size_t except) {
  for (size_t other = 0; other < paths_.size(); ++other) {
    Path& into = paths_[other];
    if (other == except || into.frame != from.frame || into.pc != from.pc || into.state == Path::State::at_barrier)
      continue;
    into.lanes |= from.lanes;
    into.state = Path::State::ready;
    into.had_turn = into.had_turn && from.had_turn;
    into.turn_left = std::min(into.turn_left, from.turn_left);
    return true;
  }
  return false;
}

void Warp::branch(LaneMask taken, uint32_t target) {
  const bool may_wait = target < pc && polled_at_ != kNoRow && polled_at_ >= target && polled_in_ == frame_;
  if (may_wait && taken == active && ends_idle_round(target)) return;
  // Turns are shorter in a diverged warp, where lanes that spin hold up the lane that they wait for.
  constexpr int kDivergedCost = 16;
  const bool diverged = paths_.size() > 1;
  if (target < pc) turn_left_ -= diverged ? kDivergedCost : 1;
  if (turn_left_ <= 0 || diverged) stop_ = true;  // diverged: the order of the paths may have changed
  if (taken == active) {
    pc = target;
    return;
  }
  // The lanes that go on keep this path; those that jump get one of their own.
  part(taken, frame_, target);
}

void Warp::part(LaneMask lanes, Frame* frame, uint32_t target) {
  Path path;
  path.frame = frame;
  path.pc = target;
  path.lanes = lanes;
  path.turn_left = std::max(1, turn_left_);
  active &= ~lanes;
  stop_ = true;
  if (!join(path, running_)) paths_.push_back(path);
}

void Warp::exit(LaneMask lanes) {
  exited_ |= lanes;
  active &= ~lanes;
  bulk_stores.finish(lanes);
  stop_ = true;
  for (Frame* frame = frame_; frame != nullptr; frame = frame->caller) frame->lanes &= ~lanes;
  if (active == 0) path_ended_ = true;
  // Paths that wait for these lanes need not any more.
  for (Path& path : paths_) {
    if (path.state == Path::State::at_warp_sync) path.state = Path::State::ready;
  }
  if (block_->synchronisation_followed()) block_->observe_exit(*this, lanes);
  block_->threads_ended(static_cast<uint32_t>(std::popcount(lanes)));
}

Finding Warp::describe(const Instruction& instruction, int lane) const {
  return describe_in(*frame_, instruction, lane);
}

Finding Warp::describe_in(const Frame& frame, const Instruction& instruction, int lane) const {
  const Program& program = *block_->grid().launch.program;
  const Function& function = *frame.function;
  const InstructionOrigin& origin = function.origin_of(instruction);
  Finding finding;
  finding.kernel = block_->grid().launch.kernel->name;
  finding.source = program.source_chain(origin.location);
  finding.ptx_line = origin.ptx_line;
  if (origin.ptx_line > 0 && static_cast<size_t>(origin.ptx_line) <= program.source_lines.size()) {
    finding.instruction = program.source_lines[static_cast<size_t>(origin.ptx_line) - 1];
  }
  finding.block = block_->index();
  finding.thread = thread_of(lane);
  return finding;
}

void Warp::fault(Finding what, int lane) {
  stop_ = true;
  block_->report(placed(describe(*current_instruction(), lane), std::move(what)));
}

void Warp::fault(FindingKind kind, std::string message, int lane) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  fault(std::move(finding), lane);
}

}  // namespace assay::vgpu
