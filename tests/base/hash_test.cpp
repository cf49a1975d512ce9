// SPDX-License-Identifier: MIT
#include "base/hash.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace assay {
namespace {

TEST(Hasher, tells_parts_from_their_concatenation) {
  const auto two = [](std::string_view a, std::string_view b) { return Hasher().add(a).add(b).hex(); };
  EXPECT_NE(two("ab", "c"), two("a", "bc"));
  EXPECT_NE(two("abc", ""), two("", "abc"));
  EXPECT_NE(two("abc", ""), Hasher().add("abc").hex());
  EXPECT_NE(two("a", "b"), two("b", "a"));
}

TEST(Hasher, counts_empty_parts) {
  std::set<std::string> seen;
  Hasher hasher;
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(seen.insert(hasher.hex()).second) << i << " empty parts";
    hasher.add("");
  }
}

TEST(Hasher, can_be_asked_in_between) {
  Hasher hasher;
  hasher.add("one");
  const std::string first = hasher.hex();
  EXPECT_EQ(hasher.hex(), first);
  hasher.add("two");
  EXPECT_NE(hasher.hex(), first);
  EXPECT_EQ(hasher.hex(), Hasher().add("one").add("two").hex());
}

TEST(Hasher, sees_every_byte_of_long_content) {
  std::string content(100'000, 'x');
  const std::string before = content_hash(content);
  content[99'999] = 'y';
  EXPECT_NE(content_hash(content), before);
  content[99'999] = '\0';
  EXPECT_NE(content_hash(content), before);
}

TEST(Hasher, writes_32_digits) {
  const std::string hex = content_hash("assay");
  EXPECT_EQ(hex.size(), 32u);
  EXPECT_EQ(hex.find_first_not_of("0123456789abcdef"), std::string::npos) << hex;
}

TEST(Hasher, takes_bytes_like_text) {
  const std::vector<uint8_t> bytes = {'a', 's', 's', 'a', 'y'};
  EXPECT_EQ(content_hash(bytes), content_hash("assay"));
  EXPECT_EQ(content_hash(std::vector<uint8_t>()), content_hash(""));
}

// Caches and prebuilt artifacts outlive the program: the hash of today must be the hash of tomorrow.
TEST(Hasher, never_changes) {
  EXPECT_EQ(Hasher().hex(), "99aa06d3014798d86001c324468d497f");  // xxHash's own value for no input
  EXPECT_EQ(content_hash(""), "2c0a8a99dc147d5445c3b49d035665b2");
  EXPECT_EQ(content_hash("assay"), "ceda619b6c74031cff523915826578c5");
}

}  // namespace
}  // namespace assay
