// SPDX-License-Identifier: MIT
#include "vgpu/machine/mbarrier.hpp"

namespace assay::vgpu {
namespace {

// From the lowest bit: 20 of pending, 20 of expected, 21 of bytes, one that is 1, the phase, and one that is 0. Zeros
// are no mbarrier then, nor is fresh shared memory, which has all bits set; one that everybody dropped out of still is.
constexpr int kExpectedAt = 20;
constexpr int kBytesAt = 40;
constexpr int kByteBits = 21;
constexpr int kPhaseAt = 62;
constexpr uint64_t kLive = uint64_t{1} << 61;
constexpr uint64_t kInvalid = uint64_t{1} << 63;

}  // namespace

std::optional<Mbarrier> Mbarrier::unpack(uint64_t state) {
  Mbarrier barrier;
  barrier.pending = static_cast<uint32_t>(state) & kMost;
  barrier.expected = static_cast<uint32_t>(state >> kExpectedAt) & kMost;
  // The sign is the field's highest bit.
  barrier.bytes =
      static_cast<int32_t>(static_cast<uint32_t>(state >> kBytesAt) << (32 - kByteBits)) >> (32 - kByteBits);
  barrier.phase = (state >> kPhaseAt & 1) != 0;
  if ((state & (kInvalid | kLive)) != kLive) return std::nullopt;
  return barrier;
}

uint64_t Mbarrier::pack() const {
  const uint64_t byte_field = static_cast<uint32_t>(bytes) & ((1u << kByteBits) - 1);
  return kLive | pending | uint64_t{expected} << kExpectedAt | byte_field << kBytesAt | uint64_t{phase} << kPhaseAt;
}

bool Mbarrier::settle() {
  if (pending != 0 || bytes != 0) return false;
  phase = !phase;
  pending = expected;
  return true;
}

}  // namespace assay::vgpu
