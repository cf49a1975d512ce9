// SPDX-License-Identifier: MIT
#include "ptx/matrix_shape.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace assay::ptx {
namespace {

TEST(MatrixShape, ReadsTheThreeSizes) {
  const auto shape = matrix_shape("m64n128k16");
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->m, 64u);
  EXPECT_EQ(shape->n, 128u);
  EXPECT_EQ(shape->k, 16u);
}

TEST(MatrixShape, IsNoOtherModifier) {
  for (const char* modifier : {"", "m", "m8n8", "m8n8k", "m8n8k4x", "n8m8k4", "row", "f16"})
    EXPECT_FALSE(matrix_shape(modifier).has_value()) << modifier;
}

TEST(MatrixShape, IsFoundAmongModifiers) {
  const std::vector<std::string> modifiers = {"sync", "aligned", "m16n8k32", "row", "col"};
  EXPECT_EQ(matrix_shape_of(modifiers).k, 32u);
}

}  // namespace
}  // namespace assay::ptx
