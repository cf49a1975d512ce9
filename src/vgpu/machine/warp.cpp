// SPDX-License-Identifier: MIT
// How a warp's paths diverge, reconverge and are scheduled. Among paths that can run, the one in the deepest call and
// then the one at the lowest instruction goes first: compilers lay code out so that this is where lanes meet again. A
// path that loops for long steps back behind the others, so that lanes which spin on a lock let its holder release it.
#include "vgpu/machine/warp.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <fmt/format.h>

#include "base/text.hpp"
#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {

bool Warp::can_run() const {
  return std::any_of(paths_.begin(), paths_.end(), [](const Path& path) { return path.state == Path::State::ready; });
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

std::unique_ptr<Frame> Warp::make_frame(const Function& function) {
  constexpr size_t kAlignment = 64;
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  frame->registers = std::make_unique<std::byte[]>(function.frame_bytes + kAlignment);
  const auto start = reinterpret_cast<uintptr_t>(frame->registers.get());
  frame->rows = frame->registers.get() + ((kAlignment - start % kAlignment) % kAlignment);
  if (function.parameter_bytes > 0) {
    frame->parameters = std::make_unique<std::byte[]>(static_cast<size_t>(function.parameter_bytes) * kLanes);
  }
  fill_special_rows(function, *frame);
  return frame;
}

void Warp::call(const CallSite& site, const Function& callee) {
  note_effect();
  constexpr uint32_t kDeepestCall = 4096;
  auto made = make_frame(callee);
  Frame& frame = *made;
  frame.caller = frame_;
  frame.call_site = &site;
  frame.return_pc = pc;
  frame.depth = frame_->depth + 1;
  frame.lanes = mask;
  frame.local_base = (frame_->local_top + 15) / 16 * 16;
  frame.local_top = frame.local_base + callee.local_bytes;
  if (frame.local_top > local_stride_ || frame.depth > kDeepestCall) {
    Finding finding;
    finding.kind = FindingKind::out_of_bounds;
    finding.space = Space::local;
    finding.message = "the stack is full: the recursion is too deep";
    fault(std::move(finding), std::countr_zero(mask));
    return;
  }
  for (const LocalRow& local : callee.local_rows) {
    const uint64_t address = uint64_t{frame.local_base} + local.offset;
    const auto bytes = static_cast<size_t>(local.bits) / 8;
    for (size_t lane = 0; lane < kLanes; ++lane) std::memcpy(frame.rows + local.row + lane * bytes, &address, bytes);
  }
  for (size_t i = 0; i < callee.parameters.size() && i < site.arguments.size(); ++i) {
    const uint32_t bytes = std::min(callee.parameters[i].bytes, site.arguments[i].bytes);
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      std::memcpy(frame.parameters.get() + lane * callee.parameter_bytes + callee.parameters[i].offset,
                  frame_->parameters.get() + lane * frame_->function->parameter_bytes + site.arguments[i].caller_offset,
                  bytes);
    }
  }
  frames_.push_back(std::move(made));
  move_to(mask, &frame, 0);
}

void Warp::move_to(LaneMask lanes, Frame* frame, uint32_t target) {
  stop_ = true;
  if (lanes != active) {
    part(lanes, frame, target);
    return;
  }
  frame_ = frame;
  pc = target;
}

void Warp::return_from_call(LaneMask lanes) {
  Frame& callee = *frame_;
  if (callee.caller == nullptr) {
    exit(lanes);
    return;
  }
  Frame& caller = *callee.caller;
  const CallSite& site = *callee.call_site;
  for (size_t i = 0; i < callee.function->returns.size() && i < site.results.size(); ++i) {
    const uint32_t bytes = std::min(callee.function->returns[i].bytes, site.results[i].bytes);
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(left));
      std::memcpy(
          caller.parameters.get() + lane * caller.function->parameter_bytes + site.results[i].caller_offset,
          callee.parameters.get() + lane * callee.function->parameter_bytes + callee.function->returns[i].offset,
          bytes);
    }
  }
  move_to(lanes, &caller, callee.return_pc);
  release_frame(&callee, lanes);
}

void Warp::release_frame(Frame* frame, LaneMask lanes) {
  frame->lanes &= ~lanes;
  if (frame->lanes != 0) return;
  std::erase_if(frames_, [&](const auto& owned) { return owned.get() == frame; });
}

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
