// SPDX-License-Identifier: MIT
#include "vgpu/machine/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "base/text.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu {
namespace {

// Shared memory starts with garbage on a GPU. Here it starts as NaN of every floating type, so that a value which was
// never written shows up in the results.
constexpr std::byte kFreshShared{0xff};

// Writes the result of bar.red into the lanes of a path that waited for it.
void finish_reduction(const Path& path, uint32_t trues, uint32_t threads) {
  const Instruction& instruction = *path.reduction;
  std::byte* row = path.frame->rows + instruction.rows[0];
  if (instruction.variant == static_cast<uint8_t>(BarrierReduction::popc)) {
    for (LaneMask left = path.lanes; left != 0; left &= left - 1) {
      reinterpret_cast<uint32_t*>(row)[std::countr_zero(left)] = trues;
    }
    return;
  }
  const bool holds = instruction.variant == static_cast<uint8_t>(BarrierReduction::all) ? trues == threads : trues > 0;
  auto* predicate = reinterpret_cast<LaneMask*>(row);
  *predicate = holds ? *predicate | path.lanes : *predicate & ~path.lanes;
}

std::string waits_for(const Path& path) {
  switch (path.state) {
    case Path::State::at_barrier:
      return fmt::format("wait at barrier {}", path.barrier);
    case Path::State::at_warp_sync:
      return fmt::format("wait for lanes 0x{:08x} of their warp", path.sync_members & ~path.lanes);
    case Path::State::at_mbarrier:
      return fmt::format("wait for the mbarrier at 0x{:x}", path.mbarrier);
    case Path::State::at_cluster:
      return "wait at the cluster's barrier";
    case Path::State::at_registers:
      return "wait for registers";
    case Path::State::at_memory:
      return "wait for memory to change";
    case Path::State::ready:
      break;
  }
  return "can run";
}

}  // namespace

void Block::start(uint64_t linear_index) {
  const Launch& launch = grid_.launch;
  linear_index_ = linear_index;
  index_ = {static_cast<uint32_t>(linear_index % launch.grid.x),
            static_cast<uint32_t>(linear_index / launch.grid.x % launch.grid.y),
            static_cast<uint32_t>(linear_index / launch.grid.x / launch.grid.y)};
  const auto threads = static_cast<uint32_t>(launch.block.volume());
  live_threads_ = threads;
  shared_bytes_ = grid_.shared_bytes();
  shared_.assign(shared_bytes_, kFreshShared);
  barriers_.fill({});
  pending_loads_.clear();
  pending_arrivals_.clear();
  waits_in_vain_ = 0;
  fault_.reset();
  printed_.clear();
  instructions_ = 0;
  thread_instructions_ = 0;
  idle_instructions_ = 0;
  start_observers();
  const size_t warps = (threads + kLanes - 1) / kLanes;
  while (warps_.size() < warps) warps_.push_back(std::make_unique<Warp>());
  warps_.resize(warps);
  registers_.start(warps, registers_at_launch(*launch.kernel, grid_.model));
  products_.start(warps);
  for (size_t i = 0; i < warps; ++i) warps_[i]->start(*this, static_cast<int>(i), *launch.kernel);
}

void Block::start_observers() {
  observers_.clear();
  counter_ = nullptr;
  followers_.clear();
  arrivals_followed_ = false;
  order_followers_.clear();
  synchronisation_followed_ = false;
  for (Observer* observer : grid_.launch.observers) {
    observers_.push_back(observer->begin_block(*this));
    arrivals_followed_ |= observers_.back()->follows_arrivals();
    synchronisation_followed_ |= observers_.back()->follows_synchronisation();
    if (observers_.back()->follows_instructions()) followers_.push_back(observers_.back().get());
    if (observers_.back()->follows_order()) order_followers_.push_back(observers_.back().get());
    if (counter_ == nullptr && observers_.back()->executions(*grid_.launch.kernel) != nullptr)
      counter_ = observers_.back().get();
  }
}

Block::Outcome Block::run(bool may_suspend) {
  constexpr int kRoundsBeforeSuspension = 4;
  for (int round = 0;; ++round) {
    bool any_left = false;
    bool any_ran = false;
    for (const auto& warp : warps_) {
      if (warp->finished()) continue;
      any_left = true;
      const uint64_t before = instructions_;
      warp->run();
      any_ran |= instructions_ != before;
      if (stopped()) return Outcome::faulted;
      if (warp->finished()) end_warp(*warp);
      if (stopped()) return Outcome::faulted;
    }
    if (!any_left) return Outcome::finished;
    if (!any_ran && may_suspend && waits_for_memory()) return Outcome::waiting;
    if (!any_ran && cluster_.size() > 1) return Outcome::suspended;  // another block of the cluster may change that
    if (!any_ran && !give_up_waiting()) {
      report_deadlock();
      return Outcome::faulted;
    }
    if (may_suspend && round >= kRoundsBeforeSuspension) return Outcome::suspended;
  }
}

bool Block::arrive(int barrier, const Warp& warp, LaneMask lanes, uint32_t expected, uint32_t trues, bool waits) {
  tell([&](BlockObserver& observer) { observer.barrier_arrived(barrier, warp, lanes, waits); });
  Barrier& state = barriers_[static_cast<size_t>(barrier)];
  const auto threads = static_cast<uint32_t>(std::popcount(lanes));
  state.in_use = true;
  state.arrived += threads;
  state.present += threads;
  // A count is in whole warps: the lanes that a warp does not have, or that have ended, come with its lowest live lane.
  const LaneMask live = warp.live_lanes();
  if (expected != 0 && (lanes & live & (~live + 1)) != 0)
    state.arrived += static_cast<uint32_t>(kLanes - std::popcount(live));
  state.trues += trues;
  if (synchronisation_followed_) {
    const BarrierArrival arrival{warp, *warp.current_instruction(), barrier, expected, lanes};
    for (const auto& observer : observers_) observer->at_barrier(arrival);
  }
  if (expected != 0) state.expected = expected;
  const uint32_t needed = state.expected != 0 ? state.expected : live_threads_;
  if (state.arrived < needed) return false;
  complete(barrier);
  return true;
}

void Block::complete(int barrier) {
  waits_in_vain_ = 0;
  tell([&](BlockObserver& observer) { observer.barrier_completed(barrier); });
  if (synchronisation_followed_) {
    for (const auto& observer : observers_) observer->barrier_complete(barrier);
  }
  const Barrier done = barriers_[static_cast<size_t>(barrier)];
  barriers_[static_cast<size_t>(barrier)] = {};
  for (const auto& warp : warps_) {
    for (Path& path : warp->paths()) {
      if (path.state != Path::State::at_barrier || path.barrier != barrier) continue;
      if (path.reduction != nullptr) finish_reduction(path, done.trues, done.present);
      path.reduction = nullptr;
      path.state = Path::State::ready;
    }
  }
}

void Block::threads_ended(uint32_t threads) {
  cluster_.threads_ended(threads);
  waits_in_vain_ = 0;
  live_threads_ -= threads;
  // A barrier of the whole block waits for the threads that are left.
  for (int i = 0; i < Barrier::kCount; ++i) {
    const Barrier& barrier = barriers_[static_cast<size_t>(i)];
    if (barrier.in_use && barrier.expected == 0 && live_threads_ > 0 && barrier.arrived >= live_threads_) complete(i);
  }
}

void Block::end_warp(const Warp& warp) {
  set_registers(warp, 0);
  const auto missing = products_.end(static_cast<size_t>(warp.index()));
  if (!missing) return;
  Frame frame;
  frame.function = missing->function;
  Finding finding = warp.describe_in(frame, *missing->instruction, 0);
  finding.kind = FindingKind::illegal_instruction;
  finding.message = fmt::format(
      "the four warps of a group execute a product together, and warp {} ended without this one", warp.index());
  report(std::move(finding));
}

bool Block::set_registers(const Warp& warp, uint32_t per_thread) {
  const uint32_t free_before = registers_.free();
  if (!registers_.set(static_cast<size_t>(warp.index()), per_thread)) return false;
  if (registers_.free() > free_before) wake(Path::State::at_registers);
  return true;
}

bool Block::finished() const {
  return std::ranges::all_of(warps_, [](const auto& warp) { return warp->finished(); });
}

void Block::wake(Path::State waiting) {
  waits_in_vain_ = 0;
  for (const auto& warp : warps_) {
    for (Path& path : warp->paths()) {
      if (path.state == waiting) path.state = Path::State::ready;
    }
  }
}
void Block::wake_from_cluster_barrier() {
  wake(Path::State::at_cluster);
}

std::optional<Mbarrier> Block::mbarrier(uint32_t address) const {
  uint64_t state = 0;
  std::memcpy(&state, shared_.data() + address, sizeof state);
  return Mbarrier::unpack(state);
}

void Block::set_mbarrier(uint32_t address, Mbarrier state) {
  if (state.settle()) {
    waits_in_vain_ = 0;
    tell([&](BlockObserver& observer) { observer.mbarrier_completed(address); });
    for (const auto& warp : warps_) {
      for (Path& path : warp->paths()) {
        if (path.state == Path::State::at_mbarrier && path.mbarrier == address) path.state = Path::State::ready;
      }
    }
  }
  const uint64_t packed = state.pack();
  std::memcpy(shared_.data() + address, &packed, sizeof packed);
}

void Block::complete_bytes(uint32_t address, uint32_t bytes) {
  Mbarrier state = *mbarrier(address);
  // Far more than anybody expected: the phase will not complete, and the finding of who waits for it names what it
  // lacks.
  state.bytes = std::max(state.bytes - static_cast<int32_t>(bytes), -static_cast<int32_t>(Mbarrier::kMost));
  set_mbarrier(address, state);
}

void Block::issue_load(uint32_t mbarrier, BulkCopy copy) {
  pending_loads_.push_back({mbarrier, std::move(copy)});
}

void Block::issue_arrival(uint32_t mbarrier, Warp& warp, int lane) {
  pending_arrivals_.push_back({mbarrier, &warp, lane, warp.copies_issued()});
}

void Block::land(uint32_t address) {
  std::erase_if(pending_loads_, [&](const PendingLoad& load) {
    if (load.mbarrier != address) return false;
    load.copy.perform();
    for (const BulkCopy::Piece& piece : load.copy.pieces) {
      has_arrived(piece.to, piece.bytes);
      has_landed(piece.to, piece.bytes, nullptr, 0, &address);
    }
    if (mbarrier(address)) complete_bytes(address, load.copy.bytes);
    return true;
  });
  std::erase_if(pending_arrivals_, [&](const PendingArrival& arrival) {
    if (arrival.mbarrier != address) return false;
    arrival.warp->land_copies(arrival.lane, arrival.copies, &address);
    if (auto state = mbarrier(address); state && state->pending > 0) {
      --state->pending;
      set_mbarrier(address, *state);
    }
    return true;
  });
}

// A wait for an mbarrier may give up after a while, and a program may do something else then. Here it does so only when
// nothing else can run.
bool Block::give_up_waiting() {
  constexpr int kMostInVain = 1000;
  if (++waits_in_vain_ > kMostInVain) return false;
  bool any = false;
  for (const auto& warp : warps_) {
    for (Path& path : warp->paths()) {
      if (path.state != Path::State::at_mbarrier) continue;
      path.timed_out = true;
      path.state = Path::State::ready;
      any = true;
    }
  }
  return any;
}

void Block::count(uint64_t instructions, uint64_t thread_instructions) {
  instructions_ += instructions;
  thread_instructions_ += thread_instructions;
}

void Block::count_idle(uint64_t instructions, uint64_t thread_instructions) {
  instructions_ -= instructions;
  thread_instructions_ -= thread_instructions;
  idle_instructions_ += instructions;
}

void Block::begin_round(const Warp& warp) {
  for (const auto& observer : observers_) observer->begin_round(warp);
}

void Block::end_round(const Warp& warp, bool idle) {
  for (const auto& observer : observers_) observer->end_round(warp, idle);
}

bool Block::waits_for_memory() const {
  return std::ranges::any_of(warps_, [](const auto& warp) { return warp->waits_for_memory(); });
}

bool Block::memory_changed() const {
  return std::ranges::any_of(warps_, [](const auto& warp) { return warp->memory_changed(); });
}

void Block::report(Finding finding) {
  if (!fault_) fault_ = std::move(finding);
}

LaneMask Block::observe(const Access& access) {
  Access filtered = access;
  for (const auto& observer : observers_) filtered.lanes &= observer->access(filtered);
  if (filtered.lanes != access.lanes) {
    Access rest = access;
    rest.lanes &= ~filtered.lanes;
    for (const auto& observer : observers_) observer->left_out(rest);
  }
  return filtered.lanes;
}

bool Block::observe_outside(const Warp& warp, const Instruction& instruction, int lane, const Finding& finding) {
  bool noted = false;
  for (const auto& observer : observers_) noted |= observer->outside(warp, instruction, lane, finding);
  return noted;
}

void Block::observe_exit(const Warp& warp, LaneMask lanes) {
  for (const auto& observer : observers_) observer->exited(warp, lanes);
}

void Block::observe(const Collective& collective) {
  for (const auto& observer : observers_) observer->at_collective(collective);
}

void Block::observe(const InactiveRead& read) {
  for (const auto& observer : observers_) observer->inactive_read(read);
}

void Block::observe_allocation(const Warp& warp, int lane, uint64_t address) {
  for (const auto& observer : observers_) observer->heap_allocated(warp, lane, address);
}

void Block::observe_free(uint64_t address) {
  for (const auto& observer : observers_) observer->heap_freed(address);
}

void Block::has_arrived(const std::byte* to, uint64_t bytes) {
  if (!arrivals_followed_) return;
  Block* const owner = cluster_.owner(to);
  if (owner == nullptr) return;
  const auto offset = static_cast<uint64_t>(to - owner->shared());
  for (const auto& observer : owner->observers_) observer->arrived(offset, bytes);
}

void Block::has_landed(const std::byte* to, uint64_t bytes, const Warp* warp, int lane, const uint32_t* mbarrier) {
  if (order_followers_.empty()) return;
  const Block* const owner = cluster_.owner(to);
  if (owner == nullptr) return;
  const auto offset = static_cast<uint64_t>(to - const_cast<Block*>(owner)->shared());
  owner->tell([&](BlockObserver& observer) { observer.landed(offset, bytes, warp, lane, mbarrier); });
}

// Lanes that wait for lanes of their own warp are named first, then those that wait for registers or for memory: who
// waits at a barrier mostly waits for them.
void Block::report_deadlock(std::string_view why) {
  const auto rank = [](const Path& path) {
    if (path.state == Path::State::at_warp_sync) return 0;
    return path.state == Path::State::at_registers || path.state == Path::State::at_memory ? 1 : 2;
  };
  int first = 2;
  for (const auto& warp : warps_) {
    for (const Path& path : warp->paths()) first = std::min(first, rank(path));
  }
  for (const auto& warp : warps_) {
    for (const Path& path : warp->paths()) {
      if (rank(path) != first) continue;
      const bool at_barrier = path.state == Path::State::at_barrier;
      const bool at_mbarrier = path.state == Path::State::at_mbarrier;
      const int lane = std::countr_zero(path.lanes);
      const Instruction& instruction = path.frame->function->code[at_barrier ? path.pc - 1 : path.pc];
      Finding finding = warp->describe_in(*path.frame, instruction, lane);
      finding.kind = FindingKind::deadlock;
      if (at_barrier) {
        const Barrier& barrier = barriers_[path.barrier];
        finding.message = fmt::format(
            "barrier {} is never complete: {} threads arrived, {} are expected, and no other thread can run",
            path.barrier, barrier.arrived, barrier.expected != 0 ? barrier.expected : live_threads_);
      } else if (at_mbarrier) {
        const Mbarrier barrier = mbarrier(path.mbarrier).value_or(Mbarrier{});
        finding.space = Space::shared;
        finding.address = path.mbarrier;
        finding.message = fmt::format(
            "the mbarrier at 0x{:x} of shared memory never completes its phase: {} of {} arrivals and {} bytes are "
            "missing, and no other thread can run",
            path.mbarrier, barrier.pending, barrier.expected, barrier.bytes);
      } else if (path.state == Path::State::at_registers) {
        const auto index = static_cast<size_t>(warp->index());
        finding.message = fmt::format(
            "the warp wants {} registers per thread and has {}; {} more are free, and no other thread can run: the "
            "block got {} per thread at its launch, and warps can only take what others have given away",
            path.registers, registers_.held(index), registers_.free(), registers_.at_launch());
      } else if (path.state == Path::State::at_memory) {
        finding.message = fmt::format(
            "lanes 0x{:08x} of warp {} wait in this loop for a change of memory that no other thread makes: all that "
            "have not ended wait as well{}",
            path.lanes, warp->index(), why);
      } else if (path.state == Path::State::at_cluster) {
        finding.message =
            "the barrier of the cluster is never complete: some threads wait here that the others do not arrive at, "
            "and "
            "no thread of the cluster can run";
      } else {
        finding.message = fmt::format(
            "lanes 0x{:08x} of warp {} wait here for lanes 0x{:08x}, which never come: a warp-synchronous instruction "
            "names threads that do not execute it",
            path.sync_members & path.lanes, warp->index(), path.sync_members & warp->live_lanes() & ~path.lanes);
      }
      finding.notes = who_waits_where();
      report(std::move(finding));
      return;
    }
  }
}

// "warps 0-3, 128 threads: wait at barrier 0, tile.cu:12", a line for each place.
std::vector<std::string> Block::who_waits_where() const {
  struct Group {
    std::string what;
    std::vector<int> warps;
    int threads = 0;
  };
  std::vector<Group> groups;
  const auto add = [&](const Warp& warp, std::string what, LaneMask lanes) {
    if (lanes == 0) return;
    auto found = std::ranges::find(groups, what, &Group::what);
    if (found == groups.end()) found = groups.insert(groups.end(), Group{std::move(what), {}, 0});
    if (found->warps.empty() || found->warps.back() != warp.index()) found->warps.push_back(warp.index());
    found->threads += std::popcount(lanes);
  };
  for (const auto& warp : warps_) {
    for (const Path& path : warp->paths()) {
      const bool at_barrier = path.state == Path::State::at_barrier;
      const Instruction& instruction = path.frame->function->code[at_barrier ? path.pc - 1 : path.pc];
      const Finding place = warp->describe_in(*path.frame, instruction, std::countr_zero(path.lanes));
      const SourceLine* line = user_line(place);
      add(*warp,
          fmt::format("{}, {}", waits_for(path),
                      line != nullptr ? fmt::format("{}:{}", line->file.substr(line->file.rfind('/') + 1), line->line)
                                      : fmt::format("line {} of the PTX", place.ptx_line)),
          path.lanes);
    }
    add(*warp, "have exited", warp->existing_lanes() & ~warp->live_lanes());
  }
  std::vector<std::string> notes;
  for (const Group& group : groups) {
    std::string warps;
    for (size_t i = 0; i < group.warps.size();) {
      size_t last = i;
      while (last + 1 < group.warps.size() && group.warps[last + 1] == group.warps[last] + 1) ++last;
      warps += fmt::format("{}{}", warps.empty() ? "" : ", ", group.warps[i]);
      if (last > i) warps += fmt::format("-{}", group.warps[last]);
      i = last + 1;
    }
    notes.push_back(fmt::format("warp{} {}, {}: {}", group.warps.size() == 1 ? "" : "s", warps,
                                counted(static_cast<uint64_t>(group.threads), "thread"), group.what));
  }
  return notes;
}

}  // namespace assay::vgpu
