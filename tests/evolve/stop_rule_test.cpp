// SPDX-License-Identifier: MIT
#include "evolve/stop_rule.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

Standing standing() {
  Standing now;
  now.above_floor = 2;
  return now;
}

TEST(StopRule, GoesOnUntilOneHolds) {
  StopRules rules;
  rules.target = 1.5;
  rules.seconds = 100;
  rules.gpu_seconds = 10;
  rules.money = 1;
  EXPECT_EQ(reason_to_stop(rules, standing()), "");
  const auto stops = [&](auto change, const std::string& word) {
    Standing now = standing();
    change(now);
    EXPECT_NE(reason_to_stop(rules, now).find(word), std::string::npos) << word << ": " << reason_to_stop(rules, now);
  };
  stops([](Standing& now) { now.speedup = 1.5; }, "target");
  stops([](Standing& now) { now.above_floor = 1.005; }, "floor");
  stops([](Standing& now) { now.proposals = 50; }, "50 proposals");
  stops([](Standing& now) { now.seconds = 101; }, "time");
  stops([](Standing& now) { now.gpu_seconds = 11; }, "GPU");
  stops([](Standing& now) { now.money = 1; }, "money");
  stops([](Standing& now) { now.passes = 3; }, "nothing more");
  stops([](Standing& now) { now.since_accepted = 20; }, "in a row");
}

TEST(StopRule, LimitsThatWereNotGivenDoNotCount) {
  Standing now = standing();
  now.seconds = 1e9;
  now.gpu_seconds = 1e9;
  now.money = 1e9;
  now.speedup = 100;
  EXPECT_EQ(reason_to_stop({}, now), "");
}

}  // namespace
}  // namespace assay::evolve
