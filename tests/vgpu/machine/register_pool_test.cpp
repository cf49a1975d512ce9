// SPDX-License-Identifier: MIT
#include "vgpu/machine/register_pool.hpp"

#include <gtest/gtest.h>

namespace assay::vgpu {
namespace {

const gpu::GpuModel& h200() {
  return *gpu::find_model("h200");
}

TEST(RegistersAtLaunch, FollowTheKernelsBounds) {
  Function kernel;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 0u);
  kernel.max_threads = 384;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 168u);
  kernel.max_threads = 640;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 96u);
  kernel.min_blocks = 2;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 48u);
  kernel.required_threads = {256, 1, 1};
  EXPECT_EQ(registers_at_launch(kernel, h200()), 128u);
  kernel.max_registers = 100;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 104u);
}

TEST(RegistersAtLaunch, AbsurdBoundsAreHarmless) {
  Function kernel;
  kernel.max_threads = ~0u;
  kernel.min_blocks = ~0u;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 0u);
  kernel.max_registers = ~0u;
  EXPECT_EQ(registers_at_launch(kernel, h200()), 256u);
  gpu::GpuModel unknown;
  unknown.max_blocks_per_sm = 0;
  kernel.max_registers = 0;
  kernel.max_threads = 1;
  kernel.min_blocks = 0;
  EXPECT_EQ(registers_at_launch(kernel, unknown), 256u);
}

TEST(RegisterPool, GivesOnlyWhatOthersGaveAway) {
  RegisterPool pool;
  pool.start(3, 128);
  EXPECT_FALSE(pool.set(0, 136));
  EXPECT_TRUE(pool.set(1, 24));
  EXPECT_EQ(pool.free(), 104u);
  EXPECT_TRUE(pool.set(0, 200));
  EXPECT_EQ(pool.free(), 32u);
  EXPECT_FALSE(pool.set(2, 168));
  EXPECT_TRUE(pool.set(2, 160));
  EXPECT_EQ(pool.held(2), 160u);
  EXPECT_EQ(pool.free(), 0u);
  EXPECT_TRUE(pool.set(2, 0));
  EXPECT_EQ(pool.free(), 160u);
}

TEST(RegisterPool, GrantsEverythingWhereTheNumberIsNotKnown) {
  RegisterPool pool;
  pool.start(1, 0);
  EXPECT_TRUE(pool.set(0, 240));
  EXPECT_EQ(pool.free(), 0u);
}

}  // namespace
}  // namespace assay::vgpu
