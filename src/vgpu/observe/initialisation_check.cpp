// SPDX-License-Identifier: MIT
#include "vgpu/observe/initialisation_check.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

bool reads(AccessKind kind) {
  return kind == AccessKind::load || kind == AccessKind::atomic || kind == AccessKind::async_read;
}

// What the bytes are after the access; nothing: what they were.
std::optional<SharedState::Byte> state_after(AccessKind kind) {
  switch (kind) {
    case AccessKind::store:
    case AccessKind::atomic:
    case AccessKind::mbarrier:  // one that is used without being initialised is the machine's to report
      return SharedState::written;
    case AccessKind::async_write:
      return SharedState::under_way;
    default:
      return std::nullopt;
  }
}

class BlockInitialisationCheck final : public BlockObserver {
 public:
  BlockInitialisationCheck(InitialisationCheck& check, const Block& of)
      : block(of), state(of.shared_bytes()), check_(check) {}

  LaneMask access(const Access& access) override {
    SharedState* const bytes = bytes_of(access);
    if (bytes == nullptr) return access.lanes;
    // Before anything is marked: an atomic of all lanes to one unwritten word is wrong in each of them.
    const LaneMask lanes = reads(access.kind) ? look(access, *bytes) : access.lanes;
    if (const auto after = state_after(access.kind)) mark(access, *bytes, *after);
    return lanes;
  }

  // What was skipped is reported as such. That its bytes are missing afterwards is no finding of its own.
  void left_out(const Access& access) override {
    SharedState* const bytes = bytes_of(access);
    if (bytes != nullptr && state_after(access.kind)) mark(access, *bytes, SharedState::written);
  }

  bool follows_arrivals() const override { return true; }
  void arrived(uint64_t offset, uint64_t bytes) override {
    if (state.covers(offset, bytes)) state.set(offset, bytes, SharedState::written);
  }

  const Block& block;
  SharedState state;
  gpu::FindingList found;
  std::set<InstructionId> unwritten_reads;

 private:
  SharedState* bytes_of(const Access& access) {
    if (access.space != Space::shared || access.owner == nullptr) return nullptr;
    return access.owner == &block ? &state : check_.state_of(*access.owner);
  }

  // Addresses out of bounds are for others to report.
  template <class Body>
  void for_each_good_lane(const Access& access, const SharedState& bytes, Body body) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (bytes.covers(access.addresses[lane], access.bytes)) body(lane, access.addresses[lane]);
    }
  }

  void mark(const Access& access, SharedState& bytes, SharedState::Byte as) {
    for_each_good_lane(access, bytes, [&](int, uint64_t offset) { bytes.set(offset, access.bytes, as); });
  }

  // Returns the lanes that may go ahead.
  LaneMask look(const Access& access, const SharedState& bytes) {
    const uint32_t used = access.warp.frame().function->origin_of(access.instruction).used_bytes;
    LaneMask good = access.lanes;
    for_each_good_lane(access, bytes, [&](int lane, uint64_t offset) {
      const uint64_t bad = bytes.first_unreadable(offset, access.bytes, used);
      if (bad == offset + access.bytes) return;
      if (bytes.at(bad) == SharedState::unwritten) {
        const InstructionId id = id_of(access);
        unwritten_reads.insert(id);
        if (check_.is_zeroed(id)) good &= ~(LaneMask{1} << lane);
        if (check_.has_no_effect(id)) return;
      }
      report(access, bytes.at(bad), lane, bad);
    });
    return good;
  }

  InstructionId id_of(const Access& access) const {
    const Function& function = *access.warp.frame().function;
    return {block.grid().launch.program->index_of(function), function.index_of(access.instruction)};
  }

  void report(const Access& access, SharedState::Byte is, int lane, uint64_t bad) {
    Finding problem;
    problem.kind = FindingKind::uninitialised;
    problem.access = access.kind;
    problem.space = Space::shared;
    problem.address = access.addresses[lane];
    problem.bytes = access.bytes;
    problem.message = fmt::format(
        "read of {} bytes of shared memory at 0x{:x}, {}", access.bytes, access.addresses[lane],
        is == SharedState::under_way ? "which an asynchronous copy is still to bring: nothing has waited for it"
                                     : "which nothing has written");
    problem.allocation = place_of(access.warp, Space::shared, bad);
    found.add(placed(access.warp.describe(access.instruction, lane), std::move(problem)));
  }

  InitialisationCheck& check_;
};

}  // namespace

void SharedState::set(uint64_t offset, uint64_t count, Byte state) {
  std::fill_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), count, state);
}

uint64_t SharedState::first_unreadable(uint64_t offset, uint64_t count, uint32_t used) const {
  for (uint64_t i = 0; i < count; ++i) {
    const bool wanted = i >= 32 || (used >> i & 1) != 0;
    if (wanted && bytes_[offset + i] != written) return offset + i;
  }
  return offset + count;
}

std::unique_ptr<BlockObserver> InitialisationCheck::begin_block(const Block& block) {
  auto observer = std::make_unique<BlockInitialisationCheck>(*this, block);
  const std::lock_guard lock(mutex_);
  states_[&block] = &observer->state;
  return observer;
}

void InitialisationCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& ended = static_cast<BlockInitialisationCheck&>(*observer);
  const std::lock_guard lock(mutex_);
  found_.merge(std::move(ended.found));
  unwritten_reads_.merge(ended.unwritten_reads);
  // The same Block may have begun anew: then this state is another's.
  const auto known = states_.find(&ended.block);
  if (known != states_.end() && known->second == &ended.state) states_.erase(known);
}

SharedState* InitialisationCheck::state_of(const Block& block) {
  const std::lock_guard lock(mutex_);
  const auto known = states_.find(&block);
  return known != states_.end() ? known->second : nullptr;
}

}  // namespace assay::vgpu
