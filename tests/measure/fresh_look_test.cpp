// SPDX-License-Identifier: MIT
#include "measure/fresh_look.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::measure {
namespace {

constexpr double kUsual_us = 100;

// Of one process: calls take 100 us, three times as long with the given probability, and fresh ones `factor` times.
FreshLook drawn_look(Random& random, double disturbed, double factor) {
  const auto call = [&] { return kUsual_us * (1 + 0.01 * random.uniform()) * (random.uniform() < disturbed ? 3 : 1); };
  FreshLook look;
  for (size_t i = 0; i < kFreshCalls; ++i) {
    look.before_us.insert(look.before_us.end(), {call(), call()});
    look.beside_us.push_back(call());
    look.fresh_us.push_back(factor * call());
  }
  return look;
}

// Of a hundred contenders, those that are found to remember results.
size_t accused(double disturbed, double factor) {
  size_t count = 0;
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    std::vector<FreshLook> looks;
    for (size_t j = 0; j < kFreshLooks; ++j) looks.push_back(drawn_look(random, disturbed, factor));
    count += remembers_results(looks) ? 1 : 0;
  }
  return count;
}

TEST(FreshLook, NoiseIsNoMemory) {
  for (const double disturbed : {0.0, 0.1, 0.3, 0.5}) EXPECT_EQ(accused(disturbed, 1), 0u) << disturbed;
}

TEST(FreshLook, AMemoryIsSeenThroughNoise) {
  EXPECT_EQ(accused(0, 2), 100u);
  EXPECT_EQ(accused(0.1, 4), 100u);
  EXPECT_GE(accused(0.3, 4), 95u);
}

TEST(FreshLook, OneLookThatIsNotSlowIsEnough) {
  const FreshLook slow{{500, 510, 520, 490, 505}, {100, 101, 99, 102, 98}, {103, 97, 100, 104, 96}};
  EXPECT_TRUE(slow.is_slow());
  EXPECT_EQ(slow.fresh(), 505);
  EXPECT_EQ(slow.seen(), 100);
  EXPECT_TRUE(remembers_results(std::vector{slow, slow, slow}));
  EXPECT_FALSE(remembers_results(std::vector{slow, slow, FreshLook{{100, 100, 100}, {100, 100}, {100}}}));
  EXPECT_FALSE(remembers_results({}));
}

// Of one that is slow with everything as soon as it has noticed something, the calls before tell.
TEST(FreshLook, KnownContentsBeforeCountAsWellAsThoseBeside) {
  const FreshLook noticed{{500, 510, 520, 490, 505}, {100, 101, 99, 102, 98}, {503, 497, 500, 504, 496}};
  EXPECT_TRUE(remembers_results(std::vector{noticed, noticed, noticed}));
  const FreshLook alone{{500, 510, 520, 490, 505}, {100, 101, 99, 102, 98}, {}};
  EXPECT_TRUE(remembers_results(std::vector{alone, alone, alone}));
  EXPECT_FALSE(FreshLook().is_slow());
}

}  // namespace
}  // namespace assay::measure
