// SPDX-License-Identifier: MIT
#include "measure/fingerprint.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"

namespace assay::measure {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(Fingerprint, is_the_sum_of_words_times_odd_numbers) {
  EXPECT_EQ(fingerprint(Bytes{}), 0u);
  EXPECT_EQ(fingerprint(Bytes{1, 2, 3, 4}), 0x04030201u);
  EXPECT_EQ(fingerprint(Bytes{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}), 1u + 3u + 5u);
  EXPECT_EQ(fingerprint(Bytes{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}), 3u * 0xffffffffull);
}

TEST(Fingerprint, pads_the_last_word_with_zeros) {
  const Bytes bytes{9, 8, 7, 6, 5, 4, 3, 2};
  for (size_t size = 1; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Bytes padded = cut;
    padded.resize((size + 3) / 4 * 4);
    EXPECT_EQ(fingerprint(cut), fingerprint(padded)) << size;
  }
  EXPECT_EQ(fingerprint(Bytes{0, 0, 0, 0, 1, 2, 3}), 3u * 0x030201u);
}

TEST(Fingerprint, is_taken_modulo_two_to_the_64th) {
  const Bytes bytes(4u << 20, 0xff);  // 2^20 words: the sum of 2 j + 1 is 2^40
  EXPECT_EQ(fingerprint(bytes), 0xffffffffull * (uint64_t{1} << 40));
}

TEST(Fingerprint, sees_every_changed_byte_and_words_that_changed_places) {
  constexpr uint64_t kSeed = 5;
  Random random(kSeed);
  Bytes bytes(61);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
  const uint64_t whole = fingerprint(bytes);
  for (size_t at = 0; at < bytes.size(); ++at) {
    Bytes changed = bytes;
    changed[at] ^= 0x10;
    EXPECT_NE(fingerprint(changed), whole) << "byte " << at << ", seed " << kSeed;
  }
  Bytes swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 4, swapped.begin() + 20);
  EXPECT_NE(fingerprint(swapped), whole);
}

}  // namespace
}  // namespace assay::measure
