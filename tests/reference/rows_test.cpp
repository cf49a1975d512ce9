// SPDX-License-Identifier: MIT
// The references that work row by row: softmax, layer_norm, row_reduction; and copy.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "problem_builder.hpp"
#include "reference/copy.hpp"
#include "reference/layer_norm.hpp"
#include "reference/row_reduction.hpp"
#include "reference/softmax.hpp"

namespace assay::reference {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
using Function = Result<Outputs> (*)(const Problem&);

std::vector<double> run(Function function, const ProblemBuilder& builder) {
  const auto outputs = function(builder.problem());
  EXPECT_TRUE(outputs) << (outputs ? "" : to_string(outputs.error()));
  return outputs ? outputs->at("y").values : std::vector<double>{};
}

TEST(Softmax, HandValues) {
  ProblemBuilder builder;
  builder.input("x", {2, 2}, {0, std::log(3.0), 1000, 1000}).output("y", {2, 2});
  const std::vector<double> y = run(softmax, builder);
  ASSERT_EQ(y.size(), 4u);
  EXPECT_NEAR(y[0], 0.25, 1e-15);
  EXPECT_NEAR(y[1], 0.75, 1e-15);
  EXPECT_EQ(y[2], 0.5);
}

TEST(Softmax, InfinitiesHaveAResultOnlyBelow) {
  ProblemBuilder builder;
  builder.input("x", {3, 2}, {-kInfinite, 4, kInfinite, 0, -kInfinite, -kInfinite}).output("y", {3, 2});
  const std::vector<double> y = run(softmax, builder);
  ASSERT_EQ(y.size(), 6u);
  EXPECT_EQ(y[0], 0.0);
  EXPECT_EQ(y[1], 1.0);
  EXPECT_FALSE(has_result(y[2]));
  EXPECT_FALSE(has_result(y[4]));
}

TEST(Softmax, RefusesAnotherShape) {
  ProblemBuilder builder;
  builder.input("x", {2, 2}, {1, 2, 3, 4}).output("y", {2, 3});
  EXPECT_FALSE(softmax(builder.problem()));
}

TEST(Softmax, HugeEmptyTensorsTakeNoTime) {
  ProblemBuilder builder;
  builder.input("x", {int64_t{1} << 60, int64_t{1} << 60, 0}, {}).output("y", {int64_t{1} << 60, int64_t{1} << 60, 0});
  EXPECT_TRUE(run(softmax, builder).empty());
}

TEST(LayerNorm, HandValues) {
  ProblemBuilder builder;
  builder.input("x", {1, 4}, {1, 3, 1, 3}).output("y", {1, 4}).scalar("eps", 0);
  EXPECT_EQ(run(layer_norm, builder), (std::vector<double>{-1, 1, -1, 1}));
  builder.input("weight", {4}, {2, 2, 3, 3}).input("bias", {4}, {0, 1, 0, 1});
  EXPECT_EQ(run(layer_norm, builder), (std::vector<double>{-2, 3, -3, 4}));
}

TEST(LayerNorm, EpsilonCounts) {
  ProblemBuilder builder;
  builder.input("x", {1, 2}, {-1, 1}).output("y", {1, 2}).scalar("eps", 3);  // variance 1, so divided by 2
  EXPECT_EQ(run(layer_norm, builder), (std::vector<double>{-0.5, 0.5}));
  ProblemBuilder standard;
  standard.input("x", {1, 2}, {-1, 1}).output("y", {1, 2});
  EXPECT_NEAR(run(layer_norm, standard)[1], 1 / std::sqrt(1 + 1e-5), 1e-15);
}

TEST(LayerNorm, ALargeMeanDoesNotCancel) {
  ProblemBuilder builder;
  builder.input("x", {1, 2}, {1e9 - 1, 1e9 + 1}).output("y", {1, 2}).scalar("eps", 0);
  EXPECT_EQ(run(layer_norm, builder), (std::vector<double>{-1, 1}));
}

TEST(LayerNorm, RefusesWeightsOfAnotherLength) {
  ProblemBuilder builder;
  builder.normal("x", {2, 4}, 1).normal("weight", {3}, 2).output("y", {2, 4});
  const auto outputs = layer_norm(builder.problem());
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.error().message.find("weight"), std::string::npos);
}

TEST(RowReduction, HandValuesAndBothOutputShapes) {
  ProblemBuilder builder;
  builder.input("x", {2, 3}, {1, 2, 3, 4, 5, 6}).output("y", {2});
  EXPECT_EQ(run(row_reduction, builder), (std::vector<double>{6, 15}));
  builder.output("y", {2, 1});
  EXPECT_EQ(run(row_reduction, builder), (std::vector<double>{6, 15}));
  builder.output("y", {3});
  EXPECT_FALSE(row_reduction(builder.problem()));
}

TEST(RowReduction, IsCompensated) {
  ProblemBuilder builder;
  builder.input("x", {4}, {1, 1e100, 1, -1e100}).output("y", {});
  EXPECT_EQ(run(row_reduction, builder), (std::vector<double>{2}));
}

TEST(RowReduction, Infinities) {
  ProblemBuilder builder;
  builder.input("x", {3, 2}, {kInfinite, 1, -kInfinite, 1, kInfinite, -kInfinite}).output("y", {3});
  const std::vector<double> y = run(row_reduction, builder);
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[0], kInfinite);
  EXPECT_EQ(y[1], -kInfinite);
  EXPECT_FALSE(has_result(y[2]));
}

TEST(Copy, CopiesAndReshapesButDoesNotTranspose) {
  ProblemBuilder builder;
  builder.input("x", {2, 3}, {1, 2, 3, 4, 5, 6}).output("y", {2, 3});
  EXPECT_EQ(run(copy, builder), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  builder.output("y", {6});
  EXPECT_EQ(run(copy, builder), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  builder.output("y", {3, 2});
  EXPECT_FALSE(copy(builder.problem()));
  builder.output("y", {7});
  EXPECT_FALSE(copy(builder.problem()));
}

}  // namespace
}  // namespace assay::reference
