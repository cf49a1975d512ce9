// SPDX-License-Identifier: MIT
// An mbarrier object (PTX ISA "mbarrier"): eight bytes of shared memory, whose layout is ours. A phase is complete when
// all expected arrivals and all expected bytes are in; then the next one begins.
#pragma once

#include <cstdint>
#include <optional>

namespace assay::vgpu {

struct Mbarrier {
  static constexpr uint32_t kBytes = 8;
  static constexpr uint32_t kMost = (1u << 20) - 1;       // arrivals; bytes, in either direction
  static constexpr uint64_t kInvalidated = ~uint64_t{1};  // what mbarrier.inval leaves: no mbarrier, nor fresh memory

  uint32_t expected = 0;  // arrivals of every phase
  uint32_t pending = 0;   // arrivals of this phase that are not in yet
  int32_t bytes = 0;      // expected, less those that came; copies may be faster than who expects them
  bool phase = false;     // its parity

  // Nothing, if these bytes are no mbarrier: fresh shared memory, zeros, or an object that was invalidated.
  static std::optional<Mbarrier> unpack(uint64_t state);
  uint64_t pack() const;

  // Begins the next phase if this one is complete, and tells.
  bool settle();
};

}  // namespace assay::vgpu
