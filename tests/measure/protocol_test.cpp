// SPDX-License-Identifier: MIT
#include "measure/protocol.hpp"

#include <gtest/gtest.h>
#include <string>

namespace assay::measure {
namespace {

TEST(Protocol, names_go_both_ways) {
  for (const Launch launch : {Launch::graph, Launch::event}) EXPECT_EQ(launch_from_name(name(launch)), launch);
  for (const Cache cache : {Cache::warm, Cache::cold, Cache::rotating}) EXPECT_EQ(cache_from_name(name(cache)), cache);
  EXPECT_EQ(name(Launch::graph), "graph");
  EXPECT_EQ(name(Launch::event), "event");
  EXPECT_EQ(name(Cache::warm), "warm");
  EXPECT_EQ(name(Cache::cold), "cold");
}

TEST(Protocol, knows_no_other_names) {
  for (const std::string text : {"", "Graph", "graphs", "warm ", "cold", "events"}) {
    EXPECT_EQ(launch_from_name(text), std::nullopt) << text;
  }
  for (const std::string text : {"", "Warm", "graph", "hot", " cold"}) {
    EXPECT_EQ(cache_from_name(text), std::nullopt) << text;
  }
}

TEST(Protocol, takes_more_sets_than_the_cache_holds_when_they_rotate) {
  constexpr uint64_t kMegabyte = 1 << 20;
  Protocol protocol;
  EXPECT_EQ(*sets_for(protocol, kMegabyte, 50 * kMegabyte), 4u);
  protocol.cache = Cache::rotating;
  EXPECT_EQ(*sets_for(protocol, 4 * kMegabyte, 50 * kMegabyte), 26u);
  EXPECT_EQ(*sets_for(protocol, 400 * kMegabyte, 50 * kMegabyte), 4u) << "no fewer than asked for";
  const auto small = sets_for(protocol, kMegabyte, 50 * kMegabyte);
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().message, "64 sets of 1.0 MiB do not exceed twice the cache of 50.0 MiB");
  EXPECT_FALSE(sets_for(protocol, kMegabyte, 0).ok()) << "the cache is not known";
}

TEST(Sampling, takes_at_least_a_hundred_samples) {
  const Sampling usual = sampling_for(100, 1200, 0.008, 20);
  EXPECT_EQ(usual.plan, judge::Replication());
  EXPECT_GE(usual.plan.first * usual.samples_per_process(), 100u);
  const Sampling more = sampling_for(1000, 4000, 0.001, 5);
  EXPECT_GE(more.plan.first * more.samples_per_process(), 1000u);
  EXPECT_EQ(more.plan.batches % 2, 0u) << "ABBA needs both ways";
  EXPECT_LE(more.plan.most * more.samples_per_process(), 4000u);
  EXPECT_EQ(more.plan.width, 0.001);
  EXPECT_EQ(sampling_for(100, 100, 0.008, 20).plan.most, usual.plan.first)
      << "never fewer processes than tell a spread";
}

}  // namespace
}  // namespace assay::measure
