// SPDX-License-Identifier: MIT
#include "vgpu/machine/group_products.hpp"

#include <gtest/gtest.h>

namespace assay::vgpu {
namespace {

class GroupProductsTest : public testing::Test {
 protected:
  GroupProductsTest() {
    function_.code.resize(2);
    function_.origins.resize(2);
    function_.origins[0].ptx_line = 10;
    function_.origins[1].ptx_line = 11;
    products_.start(8);
  }
  std::string execute(size_t warp, size_t instruction, uint64_t b = 0) {
    return products_.execute(warp, {&function_, &function_.code[instruction], b});
  }

  Function function_;
  GroupProducts products_;
};

TEST_F(GroupProductsTest, WarpsMayRunAheadOfEachOther) {
  for (const size_t warp : {2, 0, 3, 1}) {
    for (uint64_t b = 0; b < 3; ++b) EXPECT_EQ(execute(warp, b % 2, b), "") << warp << " " << b;
  }
  for (size_t warp = 0; warp < 4; ++warp) EXPECT_FALSE(products_.end(warp));
}

TEST_F(GroupProductsTest, GroupsAreApart) {
  EXPECT_EQ(execute(0, 0), "");
  EXPECT_EQ(execute(4, 1), "");
  EXPECT_EQ(products_.end(5)->instruction, &function_.code[1]);
  EXPECT_EQ(products_.end(1)->instruction, &function_.code[0]);
}

TEST_F(GroupProductsTest, AnotherProductOrMatrixIsNamed) {
  EXPECT_EQ(execute(0, 0, 7), "");
  EXPECT_NE(execute(1, 1, 7).find("PTX line 10"), std::string::npos);
  EXPECT_NE(execute(2, 0, 8).find("0x7 as the descriptor of B where this one has 0x8"), std::string::npos);
}

TEST_F(GroupProductsTest, WhoEndsTooEarlyIsFoundFromBothSides) {
  EXPECT_EQ(execute(0, 0), "");
  const auto missing = products_.end(1);
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->instruction, &function_.code[0]);
  EXPECT_NE(execute(2, 0).find("warp 1 has ended without it"), std::string::npos);
}

TEST_F(GroupProductsTest, OneWarpMayNotBeAheadForEver) {
  std::string objection;
  size_t executed = 0;
  for (; objection.empty() && executed < 2'000'000; ++executed) objection = execute(0, 0);
  EXPECT_NE(objection.find("ahead of another"), std::string::npos);
}

}  // namespace
}  // namespace assay::vgpu
