// SPDX-License-Identifier: MIT
// Exchange between the lanes of a warp: shfl, vote, match, redux, elect, activemask.
#include "vgpu/machine/warp.hpp"

#include <array>
#include <bit>

#include "vgpu/execute/collective.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"

namespace assay::vgpu {
namespace {

void active_mask(Warp& warp, const Instruction& instruction) {
  LaneMask* d = warp.row<LaneMask>(instruction.rows[0]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = warp.mask; });
}
Result<Handler> bind_active_mask(BindContext&) {
  return &active_mask;
}

enum class Shuffle : uint8_t { idx, up, down, bfly };

// The lane to read from, and whether it is in range: the manual's pseudo-code.
template <Shuffle S>
ASSAY_FORCE_INLINE int source_lane(int lane, uint32_t b, uint32_t c, bool& in_range) {
  const int value = static_cast<int>(b & 0x1f);
  const int clamp = static_cast<int>(c & 0x1f);
  const int segment = static_cast<int>(c >> 8 & 0x1f);
  const int highest = (lane & segment) | (clamp & ~segment);
  const int lowest = lane & segment;
  int source = 0;
  if constexpr (S == Shuffle::up) source = lane - value, in_range = source >= highest;
  if constexpr (S == Shuffle::down) source = lane + value, in_range = source <= highest;
  if constexpr (S == Shuffle::bfly) source = lane ^ value, in_range = source <= highest;
  if constexpr (S == Shuffle::idx) source = lowest | (value & ~segment), in_range = source <= highest;
  return in_range ? source : lane;
}

// Lanes that read from one which does not execute the shuffle.
template <Shuffle S>
void tell_inactive_reads(Warp& warp, const Instruction& instruction, LaneMask lanes, const Place& place) {
  const uint32_t* b = place.row<uint32_t>(3);
  const uint32_t* c = place.row<uint32_t>(4);
  for_each_lane(place.lanes, [&](int lane) {
    bool in_range = false;
    const int source = source_lane<S>(lane, b[lane], c[lane], in_range);
    if ((lanes >> source & 1) == 0) warp.block().observe(InactiveRead{warp, instruction, lane, source});
  });
}

// Operands: d, p or none, a, b, c, members.
template <Shuffle S>
void shuffle(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [&](const Group& group) {
    alignas(64) uint32_t a[kLanes];
    group.gather(2, a);  // first: d may be the same register
    for (const Place& place : group.places) {
      const uint32_t* b = place.row<uint32_t>(3);
      const uint32_t* c = place.row<uint32_t>(4);
      alignas(64) uint32_t result[kLanes];
      LaneMask in_range_lanes = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        bool in_range = false;
        const int source = source_lane<S>(lane, b[lane], c[lane], in_range);
        result[lane] = a[source];
        in_range_lanes |= static_cast<LaneMask>(in_range) << lane;
      }
      if (warp.block().synchronisation_followed()) tell_inactive_reads<S>(warp, instruction, group.lanes, place);
      uint32_t* d = place.row<uint32_t>(0);
      for_each_lane(place.lanes, [&](int lane) { d[lane] = result[lane]; });
      if (place.has_row(1)) {
        LaneMask& p = *place.row<LaneMask>(1);
        p = (p & ~place.lanes) | (in_range_lanes & place.lanes);
      }
    }
  });
}

Result<Handler> bind_shuffle(BindContext& context) {
  if (context.has("up")) return &shuffle<Shuffle::up>;
  if (context.has("down")) return &shuffle<Shuffle::down>;
  if (context.has("bfly")) return &shuffle<Shuffle::bfly>;
  return &shuffle<Shuffle::idx>;
}

enum class Vote : uint8_t { all, any, uni };

template <Vote V>
void vote(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [](const Group& group) {
    const LaneMask holds = group.gather_predicate(1);
    const bool all = holds == group.lanes;
    const bool any = holds != 0;
    const bool result = V == Vote::all ? all : V == Vote::any ? any : all || !any;
    group.scatter_predicate(0, result ? kAllLanes : 0);
  });
}
Result<Handler> bind_vote(BindContext& context) {
  if (context.has("all")) return &vote<Vote::all>;
  if (context.has("any")) return &vote<Vote::any>;
  return &vote<Vote::uni>;
}

void ballot(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [](const Group& group) {
    const LaneMask holds = group.gather_predicate(1);
    group.scatter<LaneMask>(0, [&](int) { return holds; });
  });
}
Result<Handler> bind_ballot(BindContext&) {
  return &ballot;
}

template <class T>
void match_any(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [](const Group& group) {
    T a[kLanes];
    group.gather(1, a);
    group.scatter<LaneMask>(0, [&](int lane) {
      LaneMask same = 0;
      for (int other = 0; other < kLanes; ++other) same |= static_cast<LaneMask>(a[other] == a[lane]) << other;
      return same & group.lanes;
    });
  });
}
Result<Handler> bind_match_any(BindContext& context) {
  return context.type() == ptx::Type::b64 ? &match_any<uint64_t> : &match_any<uint32_t>;
}

template <class T>
void match_all(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [](const Group& group) {
    T a[kLanes];
    group.gather(2, a);
    const T first = a[std::countr_zero(group.lanes)];
    bool all = true;
    for_each_lane(group.lanes, [&](int lane) { all &= a[lane] == first; });
    group.scatter<LaneMask>(0, [&](int) { return all ? group.lanes : 0; });
    group.scatter_predicate(1, all ? kAllLanes : 0);
  });
}
Result<Handler> bind_match_all(BindContext& context) {
  return context.type() == ptx::Type::b64 ? &match_all<uint64_t> : &match_all<uint32_t>;
}

enum class Reduction : uint8_t { add, min, max, bit_and, bit_or, bit_xor };

template <Reduction R, class T>
void reduce(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [](const Group& group) {
    T a[kLanes];
    group.gather(1, a);
    T result = a[std::countr_zero(group.lanes)];
    for_each_lane(group.lanes & (group.lanes - 1), [&](int lane) {
      const T x = a[lane];
      if constexpr (R == Reduction::add)
        result = static_cast<T>(static_cast<uint32_t>(result) + static_cast<uint32_t>(x));
      if constexpr (R == Reduction::min) result = x < result ? x : result;
      if constexpr (R == Reduction::max) result = x > result ? x : result;
      if constexpr (R == Reduction::bit_and) result &= x;
      if constexpr (R == Reduction::bit_or) result |= x;
      if constexpr (R == Reduction::bit_xor) result ^= x;
    });
    group.scatter<T>(0, [&](int) { return result; });
  });
}
Result<Handler> bind_reduce_integer(BindContext& context) {
  const bool is_signed = context.type() == ptx::Type::s32;
  if (context.has("add")) return &reduce<Reduction::add, uint32_t>;
  if (context.has("min")) return is_signed ? &reduce<Reduction::min, int32_t> : &reduce<Reduction::min, uint32_t>;
  return is_signed ? &reduce<Reduction::max, int32_t> : &reduce<Reduction::max, uint32_t>;
}
Result<Handler> bind_reduce_bits(BindContext& context) {
  if (context.has("and")) return &reduce<Reduction::bit_and, uint32_t>;
  if (context.has("or")) return &reduce<Reduction::bit_or, uint32_t>;
  return &reduce<Reduction::bit_xor, uint32_t>;
}

// Any lane may be elected, as long as it is always the same one: the lowest.
void elect(Warp& warp, const Instruction& instruction) {
  for_each_group(warp, instruction, [](const Group& group) {
    const int leader = std::countr_zero(group.lanes);
    group.scatter<uint32_t>(0, [&](int) { return static_cast<uint32_t>(leader); });
    group.scatter_predicate(1, LaneMask{1} << leader);
  });
}
Result<Handler> bind_elect(BindContext&) {
  return &elect;
}

constexpr std::array kBindings = {
    Binding{"activemask", bind_active_mask},   Binding{"shfl.sync", bind_shuffle},
    Binding{"vote.sync.pred", bind_vote},      Binding{"vote.sync.ballot", bind_ballot},
    Binding{"match.any", bind_match_any},      Binding{"match.all", bind_match_all},
    Binding{"redux.int", bind_reduce_integer}, Binding{"redux.bits", bind_reduce_bits},
    Binding{"elect.sync", bind_elect},
};

}  // namespace

std::span<const Binding> warp_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
