// SPDX-License-Identifier: MIT
#include "invert/reading.hpp"

#include <gtest/gtest.h>

namespace assay::invert {
namespace {

Effect effect(const char* row, int dose, double ratio, State state = State::ranked) {
  return {row, dose, state, "", ratio, 0, 0};
}

const ResourceReading& of(const Reading& reading, std::string_view resource) {
  for (const ResourceReading& each : reading.resources) {
    if (each.resource == resource) return each;
  }
  static const ResourceReading kNone;
  ADD_FAILURE() << resource << " is missing";
  return kNone;
}

TEST(Reading, TellsBottleneckHiddenAndSlackApart) {
  const Reading reading =
      read({effect("no_products", 1, 0.66), effect("extra_products", 1, 1.99), effect("no_special_functions", 1, 0.988),
            effect("extra_special_functions", 1, 1.169), effect("no_barriers", 1, 1.0),
            effect("extra_barriers", 1, 1.0), effect("extra_barriers", 2, 1.01), effect("extra_barriers", 4, 1.2)},
           0.003);
  EXPECT_EQ(of(reading, "tensor cores").verdict, Verdict::bottleneck);
  EXPECT_EQ(of(reading, "special functions").verdict, Verdict::hidden);
  EXPECT_EQ(of(reading, "barriers").verdict, Verdict::slack);
  EXPECT_EQ(of(reading, "barriers").slack, 2);
  EXPECT_EQ(reading.first, "tensor cores");
  EXPECT_NEAR(*of(reading, "tensor cores").gain, 0.34, 1e-12);
  EXPECT_NEAR(*of(reading, "tensor cores").cost_per_dose, 0.99, 1e-12);
  EXPECT_TRUE(agrees(reading, "tensor_idle"));
  EXPECT_FALSE(agrees(reading, "barriers"));
}

TEST(Reading, WhatIsConfoundedIsNotRanked) {
  const Reading reading = read({effect("no_products", 1, 0.2, State::confounded), effect("no_stores", 1, 0.7)}, 0);
  EXPECT_EQ(reading.first, "global writes");
}

TEST(Reading, ACauseComesBeforeWhatItCosts) {
  const Reading reading = read({effect("no_stores", 1, 0.2), effect("coalesced", 1, 0.3)}, 0);
  EXPECT_EQ(reading.first, "coalescing");
  const Reading clean = read({effect("no_stores", 1, 0.2), effect("coalesced", 1, 0.95)}, 0);
  EXPECT_EQ(clean.first, "global writes");
}

TEST(Reading, LatencyIsGainsWithoutCosts) {
  const Reading reading =
      read({effect("half_the_loop", 1, 0.55), effect("no_global_reads", 1, 0.92), effect("extra_l2_reads", 1, 1.0),
            effect("extra_fma", 1, 1.0), effect("extra_alu", 1, 1.0)},
           0);
  EXPECT_EQ(reading.first, "latency");
  EXPECT_TRUE(agrees(reading, "latency"));
  const Reading busy =
      read({effect("half_the_loop", 1, 0.55), effect("no_global_reads", 1, 0.92), effect("extra_l2_reads", 1, 1.0),
            effect("extra_fma", 1, 1.3), effect("extra_alu", 1, 1.0)},
           0);
  EXPECT_NE(busy.first, "latency");
}

TEST(Reading, IdleSMsAreWhatMoreBlocksDoNotCost) {
  const Reading idle = read({effect("more_blocks", 1, 1.02), effect("more_blocks", 8, 1.1)}, 0);
  EXPECT_EQ(idle.first, "idle SMs");
  EXPECT_NEAR(*of(idle, "idle SMs").gain, 1 - 1.1 / 9, 1e-12);
  const Reading full = read({effect("more_blocks", 1, 2.0), effect("more_blocks", 8, 9.0)}, 0);
  EXPECT_EQ(full.first, "");
}

TEST(Reading, DifferencesWithinTheNoiseAreNone) {
  EXPECT_EQ(read({effect("no_stores", 1, 0.9)}, 0.05).first, "");
  EXPECT_EQ(read({effect("no_stores", 1, 0.9)}, 0.001).first, "global writes");
}

TEST(Reading, BlocksCostWhatTwiceAsManyCost) {
  const Reading reading = read({effect("nothing_left", 1, 0.6), effect("smaller_blocks", 1, 1.08)}, 0);
  EXPECT_NEAR(*of(reading, "launch and blocks").gain, 0.08, 1e-12);
}

}  // namespace
}  // namespace assay::invert
