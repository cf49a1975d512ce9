// SPDX-License-Identifier: MIT
#include "gpu/occupancy.hpp"

#include <gtest/gtest.h>

namespace assay::gpu {
namespace {

BlockNeeds needs(int64_t threads, std::optional<int> registers, std::optional<int64_t> fixed, int64_t dynamic) {
  BlockNeeds result;
  result.threads = threads;
  result.registers_per_thread = registers;
  result.static_shared_bytes = fixed;
  result.dynamic_shared_bytes = dynamic;
  return result;
}

struct Case {
  const char* model;
  BlockNeeds block;
  int blocks;
  int warps;
  double percent;
  std::vector<Limiter> limiters;
};

// Each worked out by hand from the limits of the compute capability.
TEST(Occupancy, HandComputedValues) {
  const Case cases[] = {
      // 48 warps / 4 = 12 by threads; 24 by blocks; 40 registers: 1280 per warp, 12 warps in each quarter = 48 / 4
      // = 12.
      {"l4", needs(128, 40, 0, 0), 12, 48, 100.0, {Limiter::registers, Limiter::threads}},
      // 128 registers: 4096 per warp, 4 per quarter, 16 warps, 4 blocks of 4.
      {"l4", needs(128, 128, 0, 0), 4, 16, 100.0 / 3, {Limiter::registers}},
      // 99 KiB and the reserved KiB fill the SM.
      {"l4", needs(128, 64, 0, 99 * 1024), 1, 4, 100.0 / 12, {Limiter::shared_memory}},
      // 41 KiB and one: two blocks in 100.
      {"l4", needs(128, 32, 1024, 40 * 1024), 2, 8, 100.0 / 6, {Limiter::shared_memory}},
      // 32 threads: 24 blocks on Ada, 32 on GA100.
      {"l4", needs(32, 16, 0, 0), 24, 24, 50.0, {Limiter::blocks}},
      {"a100", needs(32, 16, 0, 0), 32, 32, 50.0, {Limiter::blocks}},
      // 1024 threads: one block in 1536, two in 2048.
      {"rtx4090", needs(1024, 32, 0, 0), 1, 32, 100.0 * 32 / 48, {Limiter::threads}},
      {"a100", needs(1024, 32, 0, 0), 2, 64, 100.0, {Limiter::registers, Limiter::threads}},
      // 255 registers round up to 256: 8192 per warp, two warps per quarter, eight in all.
      {"h100", needs(256, 255, 0, 0), 1, 8, 12.5, {Limiter::registers}},
      // 3 warps of 168 registers: 5376 each, 3 per quarter, 12 warps, 4 blocks.
      {"h100", needs(96, 168, 0, 0), 4, 12, 18.75, {Limiter::registers}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.model << " " << c.block.threads << " threads");
    const Occupancy result = occupancy(*find_model(c.model), c.block);
    EXPECT_EQ(result.blocks_per_sm, c.blocks);
    EXPECT_EQ(result.warps_per_sm, c.warps);
    ASSERT_TRUE(result.percent);
    EXPECT_NEAR(*result.percent, c.percent, 1e-9);
    EXPECT_EQ(result.limiters, c.limiters);
  }
}

TEST(Occupancy, NamedBarriersLimitHopper) {
  BlockNeeds block = needs(32, 16, 0, 0);
  block.barriers = 16;
  const Occupancy result = occupancy(*find_model("h100"), block);
  EXPECT_EQ(result.blocks_per_sm, 4);
  EXPECT_EQ(result.limiters, std::vector{Limiter::barriers});
}

TEST(Occupancy, SharedMemoryDecidesBetweenPlainOptInAndNoFit) {
  const GpuModel& l4 = *find_model("l4");
  EXPECT_EQ(occupancy(l4, needs(128, 32, 0, 49152)).fit, Fit::fits);
  EXPECT_EQ(occupancy(l4, needs(128, 32, 0, 49152)).reason, "");
  EXPECT_EQ(occupancy(l4, needs(128, 32, 0, 49153)).fit, Fit::fits_with_optin);
  EXPECT_EQ(occupancy(l4, needs(128, 32, 1024, 49152)).fit, Fit::fits_with_optin);
  EXPECT_EQ(occupancy(l4, needs(128, 32, 0, 101376)).fit, Fit::fits_with_optin);
  const Occupancy too_much = occupancy(l4, needs(128, 32, 1024, 100353));
  EXPECT_EQ(too_much.fit, Fit::does_not_fit);
  EXPECT_EQ(
      too_much.reason,
      "101377 bytes of shared memory (1024 static + 100353 dynamic) are more than the 101376 that a block may have");
  EXPECT_EQ(too_much.blocks_per_sm, 0);
  EXPECT_EQ(occupancy(*find_model("a100"), needs(128, 32, 1024, 100353)).fit, Fit::fits_with_optin);
}

TEST(Occupancy, ThreadsAndRegistersCanPreventALaunch) {
  const GpuModel& h200 = *find_model("h200");
  EXPECT_EQ(occupancy(h200, needs(1025, 32, 0, 0)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(h200, needs(0, 32, 0, 0)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(h200, needs(1024, 64, 0, 0)).fit, Fit::fits);
  EXPECT_EQ(occupancy(h200, needs(1024, 65, 0, 0)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(h200, needs(32, 256, 0, 0)).fit, Fit::does_not_fit);
  BlockNeeds bounded = needs(256, 32, 0, 0);
  bounded.max_threads = 128;
  EXPECT_NE(occupancy(h200, bounded).reason.find("launch bounds"), std::string::npos);
}

TEST(Occupancy, WhatIsNotKnownIsNotClaimed) {
  const GpuModel& l4 = *find_model("l4");
  // Any legal number of registers fits a block of 256 threads; of 512 not.
  const Occupancy small = occupancy(l4, needs(256, std::nullopt, 0, 0));
  EXPECT_EQ(small.fit, Fit::fits);
  EXPECT_FALSE(small.blocks_per_sm || small.warps_per_sm || small.percent);
  const Occupancy large = occupancy(l4, needs(512, std::nullopt, 0, 0));
  EXPECT_EQ(large.fit, Fit::unknown);
  EXPECT_EQ(large.reason, "the number of registers is not known");
  EXPECT_EQ(occupancy(l4, needs(128, 32, std::nullopt, 0)).fit, Fit::unknown);
  // What is known can be enough to refuse.
  EXPECT_EQ(occupancy(l4, needs(512, std::nullopt, 0, 200'000)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(l4, needs(128, 32, std::nullopt, 200'000)).fit, Fit::does_not_fit);
}

TEST(Occupancy, AbsurdSizesAreRefusedWithoutOverflow) {
  const GpuModel& l4 = *find_model("l4");
  constexpr int64_t kHuge = INT64_MAX;
  EXPECT_EQ(occupancy(l4, needs(kHuge, 32, 0, 0)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(l4, needs(32, 32, 0, kHuge)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(l4, needs(32, 32, 1024, kHuge)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(l4, needs(32, 32, kHuge, kHuge)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(l4, needs(32, 32, -1, 0)).fit, Fit::does_not_fit);
  EXPECT_EQ(occupancy(l4, needs(32, -5, 0, 0)).fit, Fit::does_not_fit);
}

}  // namespace
}  // namespace assay::gpu
