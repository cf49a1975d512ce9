// SPDX-License-Identifier: MIT
#include "check/red_zone.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "check/element.hpp"

namespace assay::check {
namespace {

using spec::DType;

struct Armed {
  explicit Armed(int64_t bytes, DType dtype = DType::f16)
      : layout{bytes}, type(dtype), allocation(static_cast<size_t>(layout.total_bytes()), 0x11) {
    arm(layout, type, kSeed, allocation);
  }
  std::optional<RedZoneDamage> damage() const { return inspect(layout, type, kSeed, allocation); }
  void flip(int64_t offset) { allocation[static_cast<size_t>(layout.payload_offset() + offset)] ^= 0xff; }

  static constexpr uint64_t kSeed = 3;
  RedZoneLayout layout;
  DType type;
  std::vector<uint8_t> allocation;
};

TEST(RedZone, LayoutKeepsTheAlignmentOfAnAllocation) {
  for (const int64_t bytes : {0, 1, 2, 255, 256, 4097}) {
    const RedZoneLayout layout{bytes};
    EXPECT_EQ(layout.payload_offset() % kGuardAlignment, 0);
    EXPECT_GE(layout.total_bytes() - layout.payload_end(), kGuardBytes);
    EXPECT_EQ(layout.total_bytes() % kGuardAlignment, 0);
  }
}

TEST(RedZone, PayloadWritesAreFine) {
  Armed armed(100);
  for (int64_t i = 0; i < 100; ++i) armed.flip(i);
  EXPECT_EQ(armed.damage(), std::nullopt);
}

TEST(RedZone, EveryByteOfBothGuardsCounts) {
  Armed armed(30);
  for (int64_t i = -kGuardBytes; i < armed.layout.total_bytes() - kGuardBytes; ++i) {
    if (i >= 0 && i < 30) continue;
    armed.flip(i);
    const auto damage = armed.damage();
    ASSERT_TRUE(damage) << i;
    EXPECT_EQ(damage->before, i < 0) << i;
    EXPECT_EQ(damage->distance, i < 0 ? -1 - i : i - 30) << i;
    EXPECT_EQ(damage->damaged_bytes, 1) << i;
    armed.flip(i);
  }
  EXPECT_EQ(armed.damage(), std::nullopt);
}

TEST(RedZone, TellsTheNearestDamageBehindFirst) {
  Armed armed(30);
  armed.flip(-5);
  armed.flip(40);
  armed.flip(35);
  const auto damage = armed.damage();
  ASSERT_TRUE(damage);
  EXPECT_FALSE(damage->before);
  EXPECT_EQ(damage->distance, 5);
  EXPECT_EQ(damage->damaged_bytes, 3);
  EXPECT_EQ(describe("o", *damage), "the kernel wrote 5 bytes behind the buffer of 'o' (3 bytes damaged around it)");
}

TEST(RedZone, StrayReadsOfFloatsGiveNan) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::e4m3, DType::e5m2}) {
    const int64_t bytes = 8;
    const Armed armed(bytes, type);
    const int size = spec::size_bytes(type);
    for (int64_t i = -kGuardBytes; i < kGuardBytes; i += size) {
      if (i >= 0 && i < bytes) continue;
      ASSERT_TRUE(std::isnan(decode_element(type, armed.allocation.data() + armed.layout.payload_offset() + i)))
          << spec::name(type);
    }
  }
}

TEST(RedZone, GuardsDependOnTheSeed) {
  std::vector<uint8_t> a(64), b(64);
  fill_with_guard(DType::i32, 1, a);
  fill_with_guard(DType::i32, 2, b);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace assay::check
