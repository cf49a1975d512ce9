// SPDX-License-Identifier: MIT
#include "ledger/time_text.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace assay::ledger {
namespace {

constexpr int64_t kNow = 1'794'720'600'000'000;  // 2026-11-15T05:30:00Z
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

TEST(TimeText, iso) {
  EXPECT_EQ(iso_time(kNow), "2026-11-15T05:30:00Z");
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(951'782'400 * kSecond), "2000-02-29T00:00:00Z");
  EXPECT_EQ(iso_time(std::numeric_limits<int64_t>::max()), "9999-12-31T23:59:59Z");
  EXPECT_EQ(iso_time(std::numeric_limits<int64_t>::min()), "1970-01-01T00:00:00Z");
}

TEST(TimeText, relative) {
  EXPECT_EQ(relative_time(kNow, kNow), "now");
  EXPECT_EQ(relative_time(kNow - 59 * kSecond, kNow), "59 s ago");
  EXPECT_EQ(relative_time(kNow - 60 * kSecond, kNow), "1 min ago");
  EXPECT_EQ(relative_time(kNow - 3 * 3600 * kSecond, kNow), "3 h ago");
  EXPECT_EQ(relative_time(kNow - 29 * kDay, kNow), "29 d ago");
  EXPECT_EQ(relative_time(kNow - 31 * kDay, kNow), "2026-10-15");
  EXPECT_EQ(relative_time(kNow + kDay, kNow), "2026-11-16");  // a clock that was wrong
  EXPECT_EQ(relative_time(std::numeric_limits<int64_t>::max(), kNow), "9999-12-31");
}

TEST(TimeText, since) {
  EXPECT_EQ(*parse_since("0s", kNow), kNow);
  EXPECT_EQ(*parse_since("90s", kNow), kNow - 90 * kSecond);
  EXPECT_EQ(*parse_since("30min", kNow), kNow - 1800 * kSecond);
  EXPECT_EQ(*parse_since("30m", kNow), kNow - 1800 * kSecond);
  EXPECT_EQ(*parse_since("12h", kNow), kNow - kDay / 2);
  EXPECT_EQ(*parse_since("3d", kNow), kNow - 3 * kDay);
  EXPECT_EQ(*parse_since("2w", kNow), kNow - 14 * kDay);
  EXPECT_EQ(*parse_since("1000000w", kNow), 0);
  EXPECT_EQ(*parse_since("2026-11-15", kNow), kNow - 19'800 * kSecond);
  EXPECT_EQ(*parse_since("2026-11-15T05:30", kNow), kNow);
  EXPECT_EQ(*parse_since("2026-11-15T05:30:00Z", kNow), kNow);
  EXPECT_EQ(*parse_since("2026-11-15 05:29:59", kNow), kNow - kSecond);
}

TEST(TimeText, what_is_no_time_is_refused) {
  for (const char* text : {"",
                           "d",
                           "3",
                           "-3d",
                           "3x",
                           "3d ",
                           "1000001d",
                           "99999999999999999999d",
                           "2026",
                           "2026-13-01",
                           "2026-02-30",
                           "1969-12-31",
                           "2026-11-15T",
                           "2026-11-15T24:00",
                           "2026-11-15T05:60",
                           "2026-11-15T05:30:60",
                           "2026-11-15T05:30ZZ",
                           "2026-1-5",
                           "2026-11--1",
                           "yesterday"}) {
    EXPECT_FALSE(parse_since(text, kNow).ok()) << text;
  }
}

}  // namespace
}  // namespace assay::ledger
