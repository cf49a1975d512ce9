// SPDX-License-Identifier: MIT
#include "reference/tensor.hpp"

#include <gtest/gtest.h>

namespace assay::reference {
namespace {

TEST(Tensor, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({2, 0, 4}), 0);
}

TEST(Tensor, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(element_count({2, -1}), std::nullopt);
  EXPECT_EQ(element_count({int64_t{1} << 40, int64_t{1} << 40}), std::nullopt);
  EXPECT_EQ(element_count({int64_t{1} << 40, int64_t{1} << 40, 0}), 0);
}

TEST(Tensor, PrintsShapes) {
  EXPECT_EQ(to_string(Shape{2, 3, 64}), "[2, 3, 64]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

}  // namespace
}  // namespace assay::reference
