// SPDX-License-Identifier: MIT
#include "vgpu/machine/mbarrier.hpp"

#include <gtest/gtest.h>

namespace assay::vgpu {
namespace {

TEST(Mbarrier, SurvivesPackingAtTheEndsOfItsFields) {
  for (const int32_t bytes :
       {0, 1, -1, static_cast<int32_t>(Mbarrier::kMost), -static_cast<int32_t>(Mbarrier::kMost)}) {
    for (const uint32_t pending : {0u, 1u, Mbarrier::kMost}) {
      for (const bool phase : {false, true}) {
        const Mbarrier state{.expected = Mbarrier::kMost, .pending = pending, .bytes = bytes, .phase = phase};
        const auto again = Mbarrier::unpack(state.pack());
        ASSERT_TRUE(again);
        EXPECT_EQ(again->expected, Mbarrier::kMost);
        EXPECT_EQ(again->pending, pending);
        EXPECT_EQ(again->bytes, bytes);
        EXPECT_EQ(again->phase, phase);
      }
    }
  }
}

TEST(Mbarrier, FreshAndZeroedMemoryIsNone) {
  EXPECT_FALSE(Mbarrier::unpack(~uint64_t{0}));
  EXPECT_FALSE(Mbarrier::unpack(0));
}

TEST(Mbarrier, APhaseNeedsBothArrivalsAndBytes) {
  Mbarrier state{.expected = 2, .pending = 0, .bytes = 16};
  EXPECT_FALSE(state.settle());
  state.bytes = 0;
  state.pending = 1;
  EXPECT_FALSE(state.settle());
  state.pending = 0;
  EXPECT_TRUE(state.settle());
  EXPECT_TRUE(state.phase);
  EXPECT_EQ(state.pending, 2u) << "the next phase expects as many";
  EXPECT_FALSE(state.settle());
}

// A copy may be done before the thread that expects it has said so.
TEST(Mbarrier, BytesMayComeEarly) {
  Mbarrier state{.expected = 1, .pending = 1, .bytes = -64};
  state.pending = 0;
  EXPECT_FALSE(state.settle());
  state.bytes += 64;
  EXPECT_TRUE(state.settle());
}

}  // namespace
}  // namespace assay::vgpu
