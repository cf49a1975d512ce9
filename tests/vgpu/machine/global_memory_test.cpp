// SPDX-License-Identifier: MIT
#include "vgpu/machine/global_memory.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace assay::vgpu {
namespace {

TEST(GlobalMemory, HandsOutAlignedRangesWithGapsBetweenThem) {
  GlobalMemory memory;
  const uint64_t a = *memory.allocate(100, "a");
  const uint64_t b = *memory.allocate(1, "b");
  const uint64_t c = *memory.allocate(8, "c", 4096);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 256, 0u);
  EXPECT_EQ(c % 4096, 0u);
  EXPECT_GE(a, kGlobalWindow);
  EXPECT_GE(b, a + 100 + 256) << "an index a little beyond the end must not land in the neighbour";
  EXPECT_GE(c, b + 1 + 256);
}

TEST(GlobalMemory, KeepsWhatIsWritten) {
  GlobalMemory memory;
  const uint64_t a = *memory.allocate(16, "a");
  const uint64_t value = 0x0123456789abcdef;
  std::memcpy(memory.host(a) + 8, &value, sizeof value);
  uint64_t back = 0;
  std::memcpy(&back, memory.host(a + 8), sizeof back);
  EXPECT_EQ(back, value);
}

TEST(GlobalMemory, FindsTheAllocationOfAnAddress) {
  GlobalMemory memory;
  EXPECT_EQ(memory.containing(kGlobalWindow), nullptr);
  EXPECT_EQ(memory.nearest(kGlobalWindow), nullptr);
  const uint64_t a = *memory.allocate(100, "a");
  const uint64_t b = *memory.allocate(100, "b");
  EXPECT_EQ(memory.containing(a)->name, "a");
  EXPECT_EQ(memory.containing(a + 99)->name, "a");
  EXPECT_EQ(memory.containing(a + 100), nullptr);
  EXPECT_EQ(memory.containing(b + 50)->name, "b");
  EXPECT_EQ(memory.nearest(a + 110)->name, "a");
  EXPECT_EQ(memory.nearest(b - 1)->name, "b");
  EXPECT_EQ(memory.nearest(b + 1'000'000)->name, "b");
  EXPECT_EQ(memory.nearest(1)->name, "a");
}

TEST(GlobalMemory, CoversOnlyRangesInsideTheAllocation) {
  const Allocation allocation{1000, 24, "a"};
  EXPECT_TRUE(allocation.covers(1000, 1024));
  EXPECT_TRUE(allocation.covers(1008, 1012));
  EXPECT_FALSE(allocation.covers(999, 1004));
  EXPECT_FALSE(allocation.covers(1020, 1025));
}

TEST(GlobalMemory, RemembersWhatWasFreed) {
  GlobalMemory memory;
  const uint64_t a = *memory.allocate(100, "a");
  EXPECT_FALSE(memory.containing(a)->freed);
  ASSERT_TRUE(memory.free(a).ok());
  EXPECT_TRUE(memory.containing(a)->freed);
  const uint64_t b = *memory.allocate(100, "b");
  EXPECT_NE(a, b) << "addresses are not used again, so that a use after free is always seen";
}

TEST(GlobalMemory, RefusesToFreeWhatItDidNotHandOut) {
  GlobalMemory memory;
  const uint64_t a = *memory.allocate(100, "a");
  EXPECT_NE(memory.free(a + 4).error().message.find("no allocation starts there"), std::string::npos);
  ASSERT_TRUE(memory.free(a).ok());
  EXPECT_NE(memory.free(a).error().message.find("freed already"), std::string::npos);
}

TEST(GlobalMemory, SaysWhoAskedForTooMuch) {
  GlobalMemory memory;
  for (const uint64_t bytes : {uint64_t{1} << 60, ~uint64_t{0}, ~uint64_t{0} - 4096}) {
    const auto refused = memory.allocate(bytes, "the weights");
    ASSERT_FALSE(refused.ok()) << bytes;
    EXPECT_NE(refused.error().message.find("the weights"), std::string::npos);
    EXPECT_EQ(refused.error().exit_code, ExitCode::environment);
  }
  EXPECT_TRUE(memory.allocate(100, "a").ok()) << "a refusal takes nothing away";
}

TEST(GlobalMemory, KnowsWhichAddressesHaveAPlace) {
  GlobalMemory memory;
  EXPECT_TRUE(memory.backed(kGlobalWindow, 16));
  EXPECT_FALSE(memory.backed(kGlobalWindow - 1, 1));
  EXPECT_TRUE(memory.backed(kGlobalWindow + memory.reserved() - 16, 16));
  EXPECT_FALSE(memory.backed(kGlobalWindow + memory.reserved() - 8, 16));
}

TEST(AddressSpace, WindowsDoNotMeet) {
  EXPECT_EQ(classify(kSharedWindow + 5).space, Space::shared);
  EXPECT_EQ(classify(kSharedWindow + 5).offset, 5u);
  EXPECT_EQ(classify(kLocalWindow).space, Space::local);
  EXPECT_EQ(classify(kConstantWindow + kWindowBytes - 1).space, Space::constant);
  EXPECT_EQ(classify(kParameterWindow + 8).offset, 8u);
  EXPECT_EQ(classify(kGlobalWindow + 8).offset, kGlobalWindow + 8);
  for (const uint64_t nowhere : {uint64_t{0}, uint64_t{4096}, kSharedWindow - 1, kSharedWindow + kWindowBytes,
                                 kFunctionWindow, kGlobalWindow + kGlobalWindowBytes, ~uint64_t{0}}) {
    EXPECT_EQ(classify(nowhere).space, Space::generic) << nowhere;
  }
}

}  // namespace
}  // namespace assay::vgpu
