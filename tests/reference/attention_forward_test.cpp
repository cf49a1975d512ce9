// SPDX-License-Identifier: MIT
#include "reference/attention_forward.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "problem_builder.hpp"

namespace assay::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A plain transcription of the definition, four indices at a time, to compare with.
double one_element(const Problem& problem, int64_t b, int64_t h, int64_t row, int64_t column, bool causal,
                   double scale) {
  const Tensor& q = problem.inputs.at("q");
  const Tensor& k = problem.inputs.at("k");
  const Tensor& v = problem.inputs.at("v");
  const auto at = [](const Tensor& t, int64_t i0, int64_t i1, int64_t i2, int64_t i3) {
    return t.values[static_cast<size_t>(((i0 * t.shape[1] + i1) * t.shape[2] + i2) * t.shape[3] + i3)];
  };
  const int64_t key_head = h * k.shape[1] / q.shape[1];
  long double sum = 0, weighted = 0;
  for (int64_t j = 0; j < k.shape[2]; ++j) {
    if (causal && j > row + k.shape[2] - q.shape[2]) continue;
    long double score = 0;
    for (int64_t d = 0; d < q.shape[3]; ++d)
      score += static_cast<long double>(at(q, b, h, row, d)) * at(k, b, key_head, j, d);
    const long double weight = std::exp(score * scale);
    sum += weight;
    weighted += weight * at(v, b, key_head, j, column);
  }
  return sum == 0 ? 0.0 : static_cast<double>(weighted / sum);
}

void expect_definition(const Shape& q, const Shape& k, const Shape& v, bool causal, double scale) {
  Shape o = q;
  o.back() = v.back();
  ProblemBuilder builder;
  builder.normal("q", q, 1)
      .normal("k", k, 2)
      .normal("v", v, 3)
      .output("o", o)
      .scalar("scale", scale)
      .variable("causal", causal);
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  const Tensor& got = outputs->at("o");
  size_t i = 0;
  for (int64_t b = 0; b < o[0]; ++b) {
    for (int64_t h = 0; h < o[1]; ++h) {
      for (int64_t row = 0; row < o[2]; ++row) {
        for (int64_t column = 0; column < o[3]; ++column, ++i) {
          ASSERT_NEAR(got.values[i], one_element(builder.problem(), b, h, row, column, causal, scale), 1e-12)
              << "at " << to_string(Shape{b, h, row, column});
        }
      }
    }
  }
}

TEST(AttentionForward, AgreesWithTheDefinition) {
  expect_definition({2, 3, 7, 5}, {2, 3, 7, 5}, {2, 3, 7, 5}, false, 0.4);
}
TEST(AttentionForward, AgreesWhenCausal) {
  expect_definition({1, 2, 9, 4}, {1, 2, 9, 4}, {1, 2, 9, 4}, true, 0.5);
}
TEST(AttentionForward, GroupsHeads) {
  expect_definition({2, 6, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, false, 0.5);
}
TEST(AttentionForward, OneKeyHeadForAll) {
  expect_definition({1, 4, 3, 4}, {1, 1, 3, 4}, {1, 1, 3, 4}, true, 0.5);
}
TEST(AttentionForward, MoreKeysThanQueries) {
  expect_definition({1, 1, 3, 4}, {1, 1, 8, 4}, {1, 1, 8, 4}, true, 0.5);
}
TEST(AttentionForward, MoreQueriesThanKeys) {
  expect_definition({1, 1, 8, 4}, {1, 1, 3, 4}, {1, 1, 3, 4}, true, 0.5);
}
TEST(AttentionForward, ValuesOfAnotherWidth) {
  expect_definition({1, 2, 5, 4}, {1, 2, 5, 4}, {1, 2, 5, 7}, false, 0.5);
}

// Large enough for several threads, on machines that have them: each head must be what it is alone, to the bit.
TEST(AttentionForward, HeadsDoNotDependOnEachOther) {
  const Shape shape{2, 4, 224, 64};
  const Shape one_head{1, 1, 224, 64};
  constexpr size_t kHead = 224 * 64;
  ProblemBuilder all;
  all.normal("q", shape, 1).normal("k", shape, 2).normal("v", shape, 3).output("o", shape).variable("causal", true);
  const auto outputs = attention_forward(all.problem());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  for (size_t head = 0; head < 8; ++head) {
    ProblemBuilder alone;
    for (const char* name : {"q", "k", "v"}) {
      const std::vector<double>& values = all.problem().inputs.at(name).values;
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(head * kHead);
      alone.input(name, one_head, std::vector<double>(first, first + kHead));
    }
    alone.output("o", one_head).variable("causal", true);
    const auto output = attention_forward(alone.problem());
    ASSERT_TRUE(output) << to_string(output.error());
    const std::vector<double>& got = output->at("o").values;
    EXPECT_TRUE(
        std::equal(got.begin(), got.end(), outputs->at("o").values.begin() + static_cast<std::ptrdiff_t>(head * kHead)))
        << "head " << head;
  }
}

TEST(AttentionForward, OneKeyGivesItsValue) {
  ProblemBuilder builder;
  builder.normal("q", {3, 4}, 1).normal("k", {1, 4}, 2).input("v", {1, 2}, {0.25, -3.5}).output("o", {3, 2});
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("o").values, (std::vector<double>{0.25, -3.5, 0.25, -3.5, 0.25, -3.5}));
}

TEST(AttentionForward, HandValuesWithTheDefaultScale) {
  // Head dimension 4 scales by 1/2: scores are 0 and ln 3, so the weights are 1/4 and 3/4.
  ProblemBuilder builder;
  builder.input("q", {1, 4}, {1, 0, 0, 0}).input("k", {2, 4}, {0, 9, 9, 9, 2 * std::log(3.0), 9, 9, 9});
  builder.input("v", {2, 1}, {8, 16}).output("o", {1, 1});
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs);
  EXPECT_NEAR(outputs->at("o").values[0], 14.0, 1e-14);
}

TEST(AttentionForward, FirstCausalRowIsTheFirstValueAndHiddenValuesDoNotMatter) {
  ProblemBuilder builder;
  builder.normal("q", {2, 2}, 1)
      .normal("k", {2, 2}, 2)
      .input("v", {2, 1}, {5, kInfinity})
      .output("o", {2, 1})
      .scalar("causal", 1);
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->at("o").values[0], 5.0);
  EXPECT_EQ(outputs->at("o").values[1], kInfinity);
}

TEST(AttentionForward, RowsThatSeeNothingAreZero) {
  ProblemBuilder builder;
  builder.normal("q", {3, 2}, 1).normal("k", {1, 2}, 2).input("v", {1, 1}, {5}).output("o", {3, 1}).scalar("causal", 1);
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->at("o").values, (std::vector<double>{0, 0, 5}));
}

TEST(AttentionForward, LargeScoresDoNotOverflow) {
  ProblemBuilder builder;
  builder.input("q", {1, 1}, {1e4}).input("k", {2, 1}, {1e4, -1e4}).input("v", {2, 1}, {3, 7}).output("o", {1, 1});
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->at("o").values[0], 3.0);
}

TEST(AttentionForward, InfiniteScoresHaveAResultOnlyBelow) {
  ProblemBuilder builder;
  builder.input("q", {2, 1}, {1, -1})
      .input("k", {2, 1}, {0.5, -kInfinity})
      .input("v", {2, 1}, {3, 7})
      .output("o", {2, 1});
  const auto outputs = attention_forward(builder.problem());
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->at("o").values[0], 3.0);  // score -infinity: no weight
  EXPECT_FALSE(has_result(outputs->at("o").values[1]));
}

TEST(AttentionForward, RefusesShapesThatDoNotFitTogether) {
  const auto refuses = [](const Shape& q, const Shape& k, const Shape& v, const Shape& o) {
    ProblemBuilder builder;
    builder.normal("q", q, 1).normal("k", k, 2).normal("v", v, 3).output("o", o);
    return !attention_forward(builder.problem()).ok();
  };
  EXPECT_TRUE(refuses({1, 3, 4, 4}, {1, 2, 4, 4}, {1, 2, 4, 4}, {1, 3, 4, 4}));  // 3 heads on 2
  EXPECT_TRUE(refuses({1, 2, 4, 4}, {1, 2, 4, 5}, {1, 2, 4, 4}, {1, 2, 4, 4}));
  EXPECT_TRUE(refuses({1, 2, 4, 4}, {1, 2, 3, 4}, {1, 2, 4, 4}, {1, 2, 4, 4}));
  EXPECT_TRUE(refuses({2, 2, 4, 4}, {1, 2, 4, 4}, {1, 2, 4, 4}, {2, 2, 4, 4}));
  EXPECT_TRUE(refuses({1, 2, 4, 4}, {1, 2, 4, 4}, {1, 2, 4, 4}, {1, 2, 4, 5}));
  EXPECT_TRUE(refuses({4, 4}, {1, 4, 4}, {1, 4, 4}, {4, 4}));
  EXPECT_TRUE(refuses({2, 4, 4}, {0, 4, 4}, {0, 4, 4}, {2, 4, 4}));
  EXPECT_FALSE(refuses({0, 2, 4, 4}, {0, 2, 4, 4}, {0, 2, 4, 4}, {0, 2, 4, 4}));
}

}  // namespace
}  // namespace assay::reference
