// SPDX-License-Identifier: MIT
#include "describe/border.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace assay::describe {
namespace {

const std::vector<Sizes> kSizes{{44, 52, 12}, {92, 60, 20}, {148, 36, 28}};
const std::vector<std::string> kNames{"ROWS", "COLUMNS", "PLANES"};

std::string whole(const std::function<int64_t(int64_t, int64_t, int64_t)>& last) {
  std::vector<int64_t> reach;
  for (const Sizes& each : kSizes) reach.push_back(last(each[0], each[1], each[2]) + 1);
  const std::optional<Product> product = fit_border(reach, kSizes);
  return product ? product->text(kNames) : "";
}

TEST(Border, rows_and_columns_but_the_last) {
  EXPECT_EQ(whole([](int64_t rows, int64_t columns, int64_t) { return (rows - 2) * columns + columns - 2; }),
            "ROWS*COLUMNS");
  EXPECT_EQ(whole([](int64_t rows, int64_t columns, int64_t) { return (rows - 1) * columns + columns - 3; }),
            "ROWS*COLUMNS");
}

TEST(Border, of_a_volume) {
  EXPECT_EQ(whole([](int64_t rows, int64_t columns, int64_t planes) {
              return ((planes - 2) * rows + rows - 2) * columns + columns - 2;
            }),
            "PLANES*ROWS*COLUMNS");
}

TEST(Border, whole_tensors_and_other_numbers_have_none) {
  EXPECT_EQ(whole([](int64_t rows, int64_t columns, int64_t) { return rows * columns - 1; }), "");
  EXPECT_EQ(whole([](int64_t rows, int64_t columns, int64_t) { return rows * columns / 2; }), "");
  EXPECT_EQ(whole([](int64_t rows, int64_t, int64_t) { return 7 * rows + 3; }), "");
}

}  // namespace
}  // namespace assay::describe
