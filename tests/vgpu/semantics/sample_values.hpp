// SPDX-License-Identifier: MIT
// Seeded operands for the arithmetic tests: notable values, and random bits of every exponent.
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu::semantics::sample {

inline float random_float(Random& random) {
  static const std::vector<uint32_t> notable = {0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x3f000000,
                                                0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x7f7fffff, 0x7f800000,
                                                0x7f800001, 0x7fc00000, 0x4b000000, 0x33800000, 0x7effffff, 0x00400000};
  const auto sign = static_cast<uint32_t>(random.next() >> 63) << 31;
  switch (random.below(4)) {
    case 0:
      return std::bit_cast<float>(notable[random.below(notable.size())] | sign);
    case 1:
      return std::bit_cast<float>(static_cast<uint32_t>(random.next()));
    default: {
      const auto exponent = static_cast<uint32_t>(127 - 20 + random.below(40)) << 23;
      return std::bit_cast<float>(exponent | sign | static_cast<uint32_t>(random.next() & 0x7fffff));
    }
  }
}

inline double random_double(Random& random) {
  static const std::vector<uint64_t> notable = {0,
                                                1,
                                                0xfffffffffffff,
                                                0x10000000000000,
                                                0x3fe0000000000000,
                                                0x3fefffffffffffff,
                                                0x3ff0000000000000,
                                                0x3ff0000000000001,
                                                0x7fefffffffffffff,
                                                0x7ff0000000000000,
                                                0x7ff8000000000000,
                                                0x0170000000000000};
  const uint64_t sign = random.next() >> 63 << 63;
  switch (random.below(4)) {
    case 0:
      return std::bit_cast<double>(notable[random.below(notable.size())] | sign);
    case 1:
      return std::bit_cast<double>(random.next());
    default: {
      const uint64_t exponent = (1023 - 60 + random.below(120)) << 52;
      return std::bit_cast<double>(exponent | sign | (random.next() & 0xfffffffffffffu));
    }
  }
}

// The host's own rounding direction, restored at the end: the reference for ours, which never changes it.
class HostRounding {
 public:
  explicit HostRounding(Rounding rounding) : before_(std::fegetround()) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[static_cast<int>(rounding)]);
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  int before_;
};

}  // namespace assay::vgpu::semantics::sample
