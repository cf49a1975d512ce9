// SPDX-License-Identifier: MIT
// Runners: the loop over the lanes, written once. A family pairs a runner with a pure function.
//
// Every runner exists twice: for any x86-64 and for processors with AVX2, FMA and F16C; the choice is made when a
// program is decoded. The function attribute is used instead of compiler flags, so that no inline function of a
// shared header is ever compiled for the newer processors and then linked into the code for the older ones.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "vgpu/execute/processor.hpp"
#include "vgpu/machine/warp.hpp"

#define ASSAY_FORCE_INLINE [[gnu::always_inline]] inline

namespace assay::vgpu {

// d = F(s...): one result row of type D from source rows of types S. All lanes are computed (F must not trap); only
// those of the mask are stored.
template <auto F, class D, class... S>
class Lanes {
 public:
  static Handler handler() { return has_wide_vectors() ? &wide : &plain; }

 private:
  template <size_t... I>
  ASSAY_FORCE_INLINE static void loop(Warp& warp, const Instruction& instruction, std::index_sequence<I...>) {
    D* __restrict d = nullptr;
    std::tuple<const S*...> s{warp.row<S>(instruction.rows[I + 1])...};
    alignas(64) D result[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) result[lane] = static_cast<D>(F(std::get<I>(s)[lane]...));
    d = warp.row<D>(instruction.rows[0]);
    store_lanes(d, result, warp.mask);
  }
  ASSAY_FORCE_INLINE static void store_lanes(D* d, const D* result, LaneMask mask) {
    if (mask == kAllLanes) {
      std::memcpy(d, result, sizeof(D) * kLanes);
    } else {
      for (int lane = 0; lane < kLanes; ++lane) d[lane] = (mask >> lane) & 1 ? result[lane] : d[lane];
    }
  }
  [[gnu::flatten]] static void plain(Warp& warp, const Instruction& instruction) {
    loop(warp, instruction, std::index_sequence_for<S...>{});
  }
  ASSAY_WIDE_VECTORS [[gnu::flatten]] static void wide(Warp& warp, const Instruction& instruction) {
    loop(warp, instruction, std::index_sequence_for<S...>{});
  }
};

// p = F(s...): the result is a predicate, one bit per lane.
template <auto F, class... S>
class PredicateLanes {
 public:
  static Handler handler() { return has_wide_vectors() ? &wide : &plain; }
  template <size_t First, size_t... I>
  ASSAY_FORCE_INLINE static LaneMask evaluate(Warp& warp, const Instruction& instruction, std::index_sequence<I...>) {
    std::tuple<const S*...> s{warp.row<S>(instruction.rows[I + First])...};
    LaneMask bits = 0;
    for (int lane = 0; lane < kLanes; ++lane)
      bits |= static_cast<LaneMask>(F(std::get<I>(s)[lane]...) ? 1u : 0u) << lane;
    return bits;
  }

 private:
  ASSAY_FORCE_INLINE static void loop(Warp& warp, const Instruction& instruction) {
    const LaneMask bits = evaluate<1>(warp, instruction, std::index_sequence_for<S...>{});
    LaneMask& p = *warp.row<LaneMask>(instruction.rows[0]);
    p = (p & ~warp.mask) | (bits & warp.mask);
  }
  [[gnu::flatten]] static void plain(Warp& warp, const Instruction& instruction) { loop(warp, instruction); }
  ASSAY_WIDE_VECTORS [[gnu::flatten]] static void wide(Warp& warp, const Instruction& instruction) {
    loop(warp, instruction);
  }
};

// Calls `body(lane)` for every lane of the mask: for what is not worth a vector loop.
template <class Body>
ASSAY_FORCE_INLINE void for_each_lane(LaneMask mask, Body&& body) {
  for (LaneMask left = mask; left != 0; left &= left - 1) body(std::countr_zero(left));
}

// Writes a predicate's lanes.
ASSAY_FORCE_INLINE void store_predicate(Warp& warp, uint32_t row, LaneMask bits) {
  LaneMask& p = *warp.row<LaneMask>(row);
  p = (p & ~warp.mask) | (bits & warp.mask);
}

}  // namespace assay::vgpu
