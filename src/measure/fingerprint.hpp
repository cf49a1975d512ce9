// SPDX-License-Identifier: MIT
// The fingerprint that a timed call leaves of its output, and that the parent computes from verified bytes: the sum of
// the 32-bit words, each times an odd number that tells its place, modulo 2^64. Sums of parts can be added in any
// order, which is what a GPU needs.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace assay::measure {

inline uint64_t fingerprint(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, bytes.size() - at < 4 ? bytes.size() - at : 4);
    sum += word * (2 * (uint64_t{at} / 4) + 1);
  }
  return sum;
}

}  // namespace assay::measure
