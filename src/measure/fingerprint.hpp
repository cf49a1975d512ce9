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
  const size_t words = bytes.size() / 4;
  uint32_t word = 0;
  for (size_t i = 0; i < words; ++i) {
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    sum += word * (2 * uint64_t{i} + 1);
  }
  if (bytes.size() % 4 == 0) return sum;
  word = 0;  // the last one may be short: zeros follow
  std::memcpy(&word, bytes.data() + 4 * words, bytes.size() % 4);
  return sum + word * (2 * uint64_t{words} + 1);
}

}  // namespace assay::measure
