// SPDX-License-Identifier: MIT
// The generic address space: every memory space is a window at a fixed base, far from the others, so that a stray
// pointer falls between them. Inside its own space an address is an offset from 0, except for global memory, whose
// addresses are generic already.
#pragma once

#include <cstdint>

#include "gpu/space.hpp"

namespace assay::vgpu {

using gpu::Space;

inline constexpr uint64_t kSharedWindow = 0x1000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x2000'0000'0000;
inline constexpr uint64_t kConstantWindow = 0x3000'0000'0000;
inline constexpr uint64_t kParameterWindow = 0x4000'0000'0000;
inline constexpr uint64_t kGlobalWindow = 0x7000'0000'0000;
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;        // of every window but the global one
inline constexpr uint64_t kGlobalWindowBytes = uint64_t{1} << 40;  // addresses; how many are backed is another matter
inline constexpr uint64_t kFunctionWindow = 0x5000'0000'0000;      // addresses of functions, for indirect calls

// What mov of a function's name gives; indirect calls come back with it.
inline uint64_t function_address(int index) {
  constexpr uint64_t kBytesPerFunction = 16;
  return kFunctionWindow + static_cast<uint64_t>(index) * kBytesPerFunction;
}

struct SpaceAddress {
  Space space = Space::generic;  // generic: in no window
  uint64_t offset = 0;           // for global memory the generic address itself
};

inline SpaceAddress classify(uint64_t generic) {
  if (generic - kGlobalWindow < kGlobalWindowBytes) return {Space::global, generic};
  if (generic - kSharedWindow < kWindowBytes) return {Space::shared, generic - kSharedWindow};
  if (generic - kLocalWindow < kWindowBytes) return {Space::local, generic - kLocalWindow};
  if (generic - kConstantWindow < kWindowBytes) return {Space::constant, generic - kConstantWindow};
  if (generic - kParameterWindow < kWindowBytes) return {Space::parameter, generic - kParameterWindow};
  return {Space::generic, generic};
}

inline uint64_t window_base(Space space) {
  switch (space) {
    case Space::shared:
      return kSharedWindow;
    case Space::local:
      return kLocalWindow;
    case Space::constant:
      return kConstantWindow;
    case Space::parameter:
      return kParameterWindow;
    default:
      return 0;
  }
}

}  // namespace assay::vgpu
