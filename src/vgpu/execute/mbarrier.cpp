// SPDX-License-Identifier: MIT
// mbarrier: arrivals, expected bytes, and waiting for a phase. Lanes take their turn, the lowest first.
#include "vgpu/machine/mbarrier.hpp"

#include <array>
#include <fmt/format.h>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/mbarrier_misuse.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu {
namespace {

// Bits of Instruction::variant. `immediate` is the address's offset, `detail` the index of its row.
constexpr uint8_t kWideAddress = 1;
constexpr uint8_t kGenericAddress = 2;
constexpr uint8_t kExpectBytes = 4;
constexpr uint8_t kDrop = 8;
constexpr uint8_t kNoComplete = 16;
constexpr uint8_t kNoIncrement = 32;
constexpr uint8_t kParity = 64;

// Calls `body(lane, block, address)` for every lane that may go ahead: the block in whose shared memory the mbarrier
// lies, and its address there.
template <class Body>
void for_each_address(Warp& warp, const Instruction& instruction, Body body) {
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, instruction.rows[instruction.detail], (instruction.variant & kWideAddress) != 0,
                 instruction.immediate, addresses);
  const Space space = (instruction.variant & kGenericAddress) != 0 ? Space::generic : Space::shared;
  const LanePointers at = resolve(warp, instruction, space, AccessKind::mbarrier, Mbarrier::kBytes, addresses);
  for_each_lane(at.lanes, [&](int lane) {
    if (warp.block().stopped()) return;
    const std::byte* const pointer = at.at[static_cast<size_t>(lane)];
    Block* const owner = warp.block().cluster().owner(pointer);
    if (owner == nullptr) {
      mbarrier_misuse(warp, lane, 0, "an mbarrier must lie in shared memory");
      return;
    }
    body(lane, *owner, static_cast<uint32_t>(pointer - owner->shared()));
  });
}

// The same with the mbarrier that lies there; the one that `body(lane, block, state, address)` changed is put back.
template <class Body>
void for_each_mbarrier(Warp& warp, const Instruction& instruction, Body body) {
  for_each_address(warp, instruction, [&](int lane, Block& owner, uint32_t address) {
    auto state = owner.mbarrier(address);
    if (!state) {
      no_mbarrier(warp, lane, address);
      return;
    }
    body(lane, owner, *state, address);
    if (!warp.block().stopped()) owner.set_mbarrier(address, *state);
  });
}

// Operands: [a], n
void init(Warp& warp, const Instruction& instruction) {
  const uint32_t* counts = warp.row<uint32_t>(instruction.rows[1]);
  for_each_address(warp, instruction, [&](int lane, Block& owner, uint32_t address) {
    const uint32_t count = counts[lane];
    if (count == 0 || count > Mbarrier::kMost) {
      mbarrier_misuse(warp, lane, address,
                      fmt::format("an mbarrier expects 1 to {} arrivals, not {}", Mbarrier::kMost, count));
      return;
    }
    owner.tell([&](BlockObserver& observer) { observer.mbarrier_initialised(address, warp, lane); });
    owner.set_mbarrier(address, {.expected = count, .pending = count});
  });
}

void invalidate(Warp& warp, const Instruction& instruction) {
  for_each_address(warp, instruction, [&](int, Block& owner, uint32_t address) {
    std::memcpy(owner.shared() + address, &Mbarrier::kInvalidated, sizeof Mbarrier::kInvalidated);
    owner.tell([&](BlockObserver& observer) { observer.mbarrier_invalidated(address); });
  });
}

// False, and a fault, if the count leaves what the hardware can hold.
bool change_bytes(Warp& warp, int lane, uint32_t address, Mbarrier& state, int64_t change) {
  const int64_t bytes = state.bytes + change;
  if (bytes <= int64_t{Mbarrier::kMost} && bytes >= -int64_t{Mbarrier::kMost}) {
    state.bytes = static_cast<int32_t>(bytes);
    return true;
  }
  mbarrier_misuse(warp, lane, address,
                  fmt::format("the mbarrier's byte count {} is beyond {}", bytes, Mbarrier::kMost));
  return false;
}

// Operands: [a], n
template <int Sign>
void expect(Warp& warp, const Instruction& instruction) {
  const uint32_t* counts = warp.row<uint32_t>(instruction.rows[1]);
  for_each_mbarrier(warp, instruction, [&](int lane, Block&, Mbarrier& state, uint32_t address) {
    change_bytes(warp, lane, address, state, Sign * int64_t{counts[lane]});
  });
}

// Operands: d, [a]{, n}
void arrive(Warp& warp, const Instruction& instruction) {
  const bool expects = (instruction.variant & kExpectBytes) != 0;
  alignas(64) uint32_t given[kLanes];
  std::fill_n(given, kLanes, 1u);
  if (instruction.row_count > 2) std::memcpy(given, warp.row<uint32_t>(instruction.rows[2]), sizeof given);
  auto* before = warp.row<uint64_t>(instruction.rows[0]);
  for_each_mbarrier(warp, instruction, [&](int lane, Block& owner, Mbarrier& state, uint32_t address) {
    const uint64_t token = state.pack();
    if (expects && !change_bytes(warp, lane, address, state, given[lane])) return;
    const uint32_t count = expects ? 1 : given[lane];
    if (count == 0 || count > state.pending) {
      mbarrier_misuse(warp, lane, address,
                      fmt::format("{} arrivals at the mbarrier at 0x{:x}, whose phase lacks {} of {}", count, address,
                                  state.pending, state.expected));
      return;
    }
    state.pending -= count;
    owner.tell([&](BlockObserver& observer) { observer.mbarrier_arrived(address, warp, lane); });
    if ((instruction.variant & kDrop) != 0) state.expected -= count;
    if ((instruction.variant & kNoComplete) != 0 && state.pending == 0) {
      mbarrier_misuse(warp, lane, address, "an arrival with .noComplete was the last one of the phase");
      return;
    }
    before[lane] = token;
  });
}

bool is_complete(const Mbarrier& state, bool awaited) {
  return state.phase != awaited;
}

// Operands: d, [a], state or parity{, time}
template <bool Sleeps>
void wait(Warp& warp, const Instruction& instruction) {
  if (!Sleeps) warp.note_poll();
  LaneMask complete = 0;
  uint32_t awaited_address = 0;
  bool several = false;  // lanes wait for different mbarriers
  bool any = false;
  Block& block = warp.block();
  for_each_address(warp, instruction, [&](int lane, Block& owner, uint32_t address) {
    if (&owner != &block) {
      mbarrier_misuse(warp, lane, address, "a thread can wait only for mbarriers of its own block");
      return;
    }
    const bool awaited =
        (instruction.variant & kParity) != 0
            ? (warp.row<uint32_t>(instruction.rows[2])[lane] & 1) != 0
            : Mbarrier::unpack(warp.row<uint64_t>(instruction.rows[2])[lane]).value_or(Mbarrier{}).phase;
    auto state = block.mbarrier(address);
    if (state && !is_complete(*state, awaited)) {
      block.land(address);
      state = block.mbarrier(address);
    }
    if (!state) {
      no_mbarrier(warp, lane, address);
      return;
    }
    if (is_complete(*state, awaited)) {
      complete |= LaneMask{1} << lane;
      block.tell([&](BlockObserver& observer) { observer.mbarrier_awaited(address, warp, lane); });
    }
    several |= any && awaited_address != address;
    awaited_address = address;
    any = true;
  });
  if (block.stopped()) return;
  if (Sleeps && complete == 0 && any && !several && warp.wait_at_mbarrier(awaited_address)) return;
  if (Sleeps && complete == 0 && several) warp.give_way();  // a path sleeps at one mbarrier only: it tries again
  store_predicate(warp, instruction.rows[0], complete);
}

// Operands: d, a
void pending_count(Warp& warp, const Instruction& instruction) {
  auto* d = warp.row<uint32_t>(instruction.rows[0]);
  const auto* states = warp.row<uint64_t>(instruction.rows[1]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = Mbarrier::unpack(states[lane]).value_or(Mbarrier{}).pending; });
}

// Operand: [a]
void arrive_after_copies(Warp& warp, const Instruction& instruction) {
  for_each_mbarrier(warp, instruction, [&](int lane, Block& owner, Mbarrier& state, uint32_t address) {
    const bool increments = (instruction.variant & kNoIncrement) == 0;
    if (increments && state.pending == Mbarrier::kMost) {
      mbarrier_misuse(warp, lane, address, fmt::format("the mbarrier expects more than {} arrivals", Mbarrier::kMost));
      return;
    }
    if (increments) ++state.pending;
    owner.issue_arrival(address, warp, lane);
  });
}

void set_address(BindContext& context, size_t operand, uint8_t flags = 0) {
  const BoundOperand& address = context.operands[operand];
  const bool shared = context.has("shared") || context.has("shared::cta") || context.has("shared::cluster");
  context.instruction->detail = static_cast<uint32_t>(operand);
  context.instruction->immediate = address.offset;
  context.instruction->variant =
      static_cast<uint8_t>(flags | (address.bits == 64 ? kWideAddress : 0) | (shared ? 0 : kGenericAddress));
}

Result<Handler> bind_init(BindContext& context) {
  set_address(context, 0);
  return &init;
}
Result<Handler> bind_invalidate(BindContext& context) {
  set_address(context, 0);
  return &invalidate;
}
Result<Handler> bind_expect(BindContext& context) {
  set_address(context, 0);
  return context.has("expect_tx") ? &expect<1> : &expect<-1>;
}
Result<Handler> bind_arrive(BindContext& context) {
  set_address(
      context, 1,
      static_cast<uint8_t>((context.has("expect_tx") ? kExpectBytes : 0) | (context.has("arrive_drop") ? kDrop : 0) |
                           (context.has("noComplete") ? kNoComplete : 0)));
  return &arrive;
}
Result<Handler> bind_wait(BindContext& context) {
  set_address(context, 1, context.has("parity") ? kParity : 0);
  return context.has("try_wait") ? &wait<true> : &wait<false>;
}
Result<Handler> bind_pending_count(BindContext&) {
  return &pending_count;
}
Result<Handler> bind_arrive_after_copies(BindContext& context) {
  set_address(context, 0, context.has("noinc") ? kNoIncrement : 0);
  return &arrive_after_copies;
}

constexpr std::array kBindings = {
    Binding{"mbarrier.init", bind_init},
    Binding{"mbarrier.inval", bind_invalidate},
    Binding{"mbarrier.expect_tx", bind_expect},
    Binding{"mbarrier.complete_tx", bind_expect},
    Binding{"mbarrier.arrive", bind_arrive},
    Binding{"mbarrier.arrive.expect_tx", bind_arrive},
    Binding{"mbarrier.arrive.noComplete", bind_arrive},
    Binding{"mbarrier.arrive_drop", bind_arrive},
    Binding{"mbarrier.arrive_drop.expect_tx", bind_arrive},
    Binding{"mbarrier.arrive_drop.noComplete", bind_arrive},
    Binding{"mbarrier.test_wait", bind_wait},
    Binding{"mbarrier.test_wait.parity", bind_wait},
    Binding{"mbarrier.try_wait", bind_wait},
    Binding{"mbarrier.try_wait.parity", bind_wait},
    Binding{"mbarrier.pending_count", bind_pending_count},
    Binding{"cp.async.mbarrier.arrive", bind_arrive_after_copies},
};

}  // namespace

std::span<const Binding> mbarrier_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
