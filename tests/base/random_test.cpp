// SPDX-License-Identifier: MIT
#include "base/random.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace assay {
namespace {

// The published first numbers of SplitMix64: a seed must mean the same inputs on every machine and for ever.
TEST(Random, gives_the_published_sequence) {
  Random zero(0);
  EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(zero.next(), 0x06c45d188009454fu);
  Random other(1234567);
  EXPECT_EQ(other.next(), 6457827717110365317u);
  EXPECT_EQ(other.next(), 3203168211198807973u);
  EXPECT_EQ(other.next(), 9817491932198370423u);
}

TEST(Random, derives_its_other_numbers_from_the_same_sequence) {
  EXPECT_EQ(Random(0).below(1000), 883u);  // 0xe220a839.. / 2^64 = 0.8833...
  EXPECT_DOUBLE_EQ(Random(0).uniform(), 0.88331080821364261);
  Random random(0);
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
  EXPECT_DOUBLE_EQ(Random(0).normal(), radius * std::cos(2.0 * std::acos(-1.0) * random.uniform()));
}

TEST(Random, can_start_ahead) {
  Random random(7);
  for (const uint64_t count : {0, 1, 5, 1000}) {
    const Random start = random;
    Random ahead = start.ahead(count);
    for (uint64_t i = 0; i < count; ++i) random.next();
    EXPECT_EQ(ahead.next(), Random(random).next()) << count;
  }
  Random two = Random(7).ahead(2);
  Random one(7);
  one.normal();
  EXPECT_EQ(one.next(), two.next()) << "a normal number takes two";
}

TEST(Random, stays_below_its_bound_and_reaches_all_of_it) {
  Random random(7);
  std::array<int, 5> seen{};
  for (int i = 0; i < 5000; ++i) {
    const uint64_t number = random.below(5);
    ASSERT_LT(number, 5u) << "seed 7, draw " << i;
    ++seen[number];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
}

TEST(Random, has_an_answer_for_the_smallest_and_the_largest_bound) {
  Random random(3);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
  Random same(9), again(9);
  EXPECT_EQ(same.below(~uint64_t{0}), static_cast<uint64_t>((static_cast<Wide>(again.next()) * ~uint64_t{0}) >> 64));
}

TEST(Random, draws_uniform_and_normal_numbers) {
  Random random(11);
  constexpr int kDraws = 20'000;
  double uniform_sum = 0;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double uniform = random.uniform();
    ASSERT_GE(uniform, 0.0);
    ASSERT_LT(uniform, 1.0);
    uniform_sum += uniform;
    const double normal = random.normal();
    ASSERT_TRUE(std::isfinite(normal));
    sum += normal;
    squares += normal * normal;
  }
  EXPECT_NEAR(uniform_sum / kDraws, 0.5, 0.01) << "seed 11";
  EXPECT_NEAR(sum / kDraws, 0.0, 0.03) << "seed 11";
  EXPECT_NEAR(squares / kDraws, 1.0, 0.05) << "seed 11";
}

}  // namespace
}  // namespace assay
