// SPDX-License-Identifier: MIT
#include "reference/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "problem_builder.hpp"
#include "reference/attention_forward.hpp"
#include "reference/gemm.hpp"

namespace assay::reference {
namespace {

TEST(RowSample, IsEverythingUnlessTold) {
  EXPECT_EQ(RowSample{}.of_matrix(3, 4), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ((RowSample{2.5, 1}.of_matrix(0, 2)), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE((RowSample{0.5, 1}.of_matrix(0, 0)).empty());
}

TEST(RowSample, TakesItsShareInOrderAndNoRowTwice) {
  const std::vector<int64_t> rows = RowSample{0.1, 7}.of_matrix(0, 1000);
  EXPECT_EQ(rows.size(), 100u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(std::set<int64_t>(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_GE(rows.front(), 0);
  EXPECT_LT(rows.back(), 1000);
  EXPECT_EQ((RowSample{1e-9, 7}.of_matrix(0, 1000)).size(), 1u) << "never none";
}

TEST(RowSample, DependsOnSeedAndMatrixAlone) {
  const RowSample sample{0.1, 7};
  EXPECT_EQ(sample.of_matrix(2, 1000), sample.of_matrix(2, 1000));
  EXPECT_NE(sample.of_matrix(2, 1000), sample.of_matrix(3, 1000));
  EXPECT_NE(sample.of_matrix(2, 1000), (RowSample{0.1, 8}.of_matrix(2, 1000)));
}

// The rows of a sample are those of the whole, to the bit, and the others say nothing.
void expect_part_of_the_whole(Result<Outputs> (*evaluate)(const Problem&), Problem problem, double share) {
  const auto all = evaluate(problem);
  problem.sample = {share, 5};
  const auto some = evaluate(problem);
  ASSERT_TRUE(all && some);
  const Tensor& whole = all->begin()->second;
  const Tensor& part = some->begin()->second;
  const int64_t rows = whole.shape[whole.shape.size() - 2];
  const int64_t columns = whole.shape.back();
  const int64_t matrices = static_cast<int64_t>(whole.values.size()) / (rows * columns);
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    const std::vector<int64_t> known = problem.sample.of_matrix(matrix, rows);
    for (int64_t i = 0; i < rows * columns; ++i) {
      const auto at = static_cast<size_t>(matrix * rows * columns + i);
      if (std::binary_search(known.begin(), known.end(), i / columns)) {
        EXPECT_EQ(part.values[at], whole.values[at]) << matrix << ", " << i;
      } else {
        EXPECT_TRUE(std::isnan(part.values[at])) << matrix << ", " << i;
      }
    }
  }
}

TEST(RowSample, OfAttention) {
  for (const bool causal : {false, true}) {
    ProblemBuilder builder;
    builder.normal("q", {2, 4, 20, 8}, 1).normal("k", {2, 2, 18, 8}, 2).normal("v", {2, 2, 18, 8}, 3);
    builder.output("o", {2, 4, 20, 8}).variable("causal", causal);
    expect_part_of_the_whole(attention_forward, builder.problem(), 0.3);
  }
}

TEST(RowSample, OfGemm) {
  ProblemBuilder builder;
  builder.normal("a", {3, 30, 70}, 1).normal("b", {3, 70, 5}, 2).output("c", {3, 30, 5}).scalar("alpha", 0.5);
  expect_part_of_the_whole(gemm, builder.problem(), 0.2);
}

}  // namespace
}  // namespace assay::reference
