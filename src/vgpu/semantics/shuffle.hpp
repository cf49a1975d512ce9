// SPDX-License-Identifier: MIT
// shfl: which lane a lane reads from (PTX ISA, "shfl.sync", its pseudo-code).
#pragma once

#include <cstdint>

namespace assay::vgpu::semantics {

enum class Shuffle : uint8_t { idx, up, down, bfly };

struct ShuffleSource {
  int lane = 0;           // its own where the other one is out of range
  bool in_range = false;  // shfl's predicate
};

template <Shuffle S>
[[gnu::always_inline]] inline ShuffleSource shuffle_source(int lane, uint32_t b, uint32_t c) {
  const int value = static_cast<int>(b & 0x1f);
  const int clamp = static_cast<int>(c & 0x1f);
  const int segment = static_cast<int>(c >> 8 & 0x1f);
  const int highest = (lane & segment) | (clamp & ~segment);
  const int lowest = lane & segment;
  int source = 0;
  bool in_range = false;
  if constexpr (S == Shuffle::up) source = lane - value, in_range = source >= highest;
  if constexpr (S == Shuffle::down) source = lane + value, in_range = source <= highest;
  if constexpr (S == Shuffle::bfly) source = lane ^ value, in_range = source <= highest;
  if constexpr (S == Shuffle::idx) source = lowest | (value & ~segment), in_range = source <= highest;
  return {in_range ? source : lane, in_range};
}

inline ShuffleSource shuffle_source(Shuffle kind, int lane, uint32_t b, uint32_t c) {
  switch (kind) {
    case Shuffle::up:
      return shuffle_source<Shuffle::up>(lane, b, c);
    case Shuffle::down:
      return shuffle_source<Shuffle::down>(lane, b, c);
    case Shuffle::bfly:
      return shuffle_source<Shuffle::bfly>(lane, b, c);
    case Shuffle::idx:
      break;
  }
  return shuffle_source<Shuffle::idx>(lane, b, c);
}

}  // namespace assay::vgpu::semantics
