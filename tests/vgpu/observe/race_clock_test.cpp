// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_clock.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace assay::vgpu {
namespace {

TEST(BlockClocks, AreFoundWhereverTheyLie) {
  std::mt19937 random(20261118);
  for (const uint32_t blocks : {1u, 5u, 64u, 1000u}) {
    std::map<uint32_t, std::shared_ptr<const BlockClock>> plain;
    BlockClocks clocks;
    for (uint32_t i = 0; i < blocks / 2 + 1; ++i) {
      const auto block = static_cast<uint32_t>(random() % blocks);
      plain[block] = std::make_shared<BlockClock>();
      clocks.set(block, plain[block]);
    }
    for (uint32_t block = 0; block < blocks + 2; ++block) {
      const auto* const found = clocks.find(block);
      ASSERT_EQ(found != nullptr, plain.contains(block)) << block;
      if (found != nullptr) {
        EXPECT_EQ(*found, plain[block]);
      }
    }
  }
}

TEST(BlockClocks, AllButOne) {
  BlockClocks clocks;
  for (uint32_t block = 40; block > 10; --block) {
    if (block != 20) clocks.set(block, std::make_shared<BlockClock>());
  }
  for (uint32_t block = 0; block < 50; ++block)
    EXPECT_EQ(clocks.find(block) != nullptr, block > 10 && block <= 40 && block != 20) << block;
  EXPECT_EQ(BlockClocks().find(0), nullptr);
}

}  // namespace
}  // namespace assay::vgpu
