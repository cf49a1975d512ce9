// SPDX-License-Identifier: MIT
#include "reference/gemm.hpp"

#include <gtest/gtest.h>

#include "problem_builder.hpp"

namespace assay::reference {
namespace {

std::vector<double> run(const ProblemBuilder& builder) {
  const auto outputs = gemm(builder.problem());
  EXPECT_TRUE(outputs) << (outputs ? "" : to_string(outputs.error()));
  return outputs ? outputs->at("c").values : std::vector<double>{};
}

TEST(Gemm, HandValues) {
  ProblemBuilder builder;
  builder.input("a", {2, 3}, {1, 2, 3, 4, 5, 6}).input("b", {3, 2}, {7, 8, 9, 10, 11, 12}).output("c", {2, 2});
  EXPECT_EQ(run(builder), (std::vector<double>{58, 64, 139, 154}));
}

TEST(Gemm, AlphaAndBeta) {
  ProblemBuilder builder;
  builder.input("a", {1, 1}, {3}).input("b", {1, 2}, {5, 7}).input("c", {1, 2}, {1, 10}).output("c", {1, 2});
  EXPECT_EQ(run(builder), (std::vector<double>{15, 21}));
  builder.scalar("alpha", 2).scalar("beta", 10);
  EXPECT_EQ(run(builder), (std::vector<double>{40, 142}));
}

TEST(Gemm, BatchesAndASharedMatrix) {
  ProblemBuilder builder;
  builder.input("a", {2, 1, 1}, {2, 3}).input("b", {2, 1, 1}, {5, 7}).output("c", {2, 1, 1});
  EXPECT_EQ(run(builder), (std::vector<double>{10, 21}));
  builder.input("b", {1, 1}, {5});
  EXPECT_EQ(run(builder), (std::vector<double>{10, 15}));
}

TEST(Gemm, LongSumsAcrossBlocks) {
  constexpr int64_t kTerms = 1000;
  std::vector<double> a, b;
  for (int64_t i = 0; i < kTerms; ++i) a.push_back(static_cast<double>(i)), b.push_back(1.0);
  ProblemBuilder builder;
  builder.input("a", {1, kTerms}, a).input("b", {kTerms, 1}, b).output("c", {1, 1});
  EXPECT_EQ(run(builder), (std::vector<double>{499500}));
}

TEST(Gemm, NothingToAddIsZero) {
  ProblemBuilder builder;
  builder.input("a", {2, 0}, {}).input("b", {0, 1}, {}).output("c", {2, 1});
  EXPECT_EQ(run(builder), (std::vector<double>{0, 0}));
}

TEST(Gemm, RefusesShapesThatDoNotFitTogether) {
  ProblemBuilder builder;
  builder.normal("a", {2, 3}, 1).normal("b", {2, 3}, 2).output("c", {2, 3});
  const auto outputs = gemm(builder.problem());
  ASSERT_FALSE(outputs);
  EXPECT_NE(outputs.error().message.find("[2, 3]"), std::string::npos);
  builder.normal("b", {3, 2}, 2);
  EXPECT_FALSE(gemm(builder.problem()));  // c would be [2, 2]
  builder.output("c", {2, 2}).scalar("beta", 1);
  EXPECT_FALSE(gemm(builder.problem()));  // beta needs c
}

}  // namespace
}  // namespace assay::reference
