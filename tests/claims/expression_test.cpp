// SPDX-License-Identifier: MIT
#include "claims/expression.hpp"

#include <gtest/gtest.h>

namespace assay::claims {
namespace {

const nlohmann::json kDocument = nlohmann::json::parse(R"({
  "p50_us": 4.5,
  "samples": [{"contender": "ours", "shape": "B=1,H=8", "p50_us": 2}, {"contender": "sdpa", "shape": "B=1,H=8", "p50_us": 3}],
  "times": [5, 1, 3],
  "cases": {"B=1,H=8": {"ratio": 1.5}, "B=2,H=8": {"ratio": 1.25}},
  "name": "softmax"
})");

double value(const std::string& expression) {
  const auto result = evaluate(expression, kDocument);
  EXPECT_TRUE(result.ok()) << expression << ": " << (result ? "" : result.error().message);
  return result ? *result : 0;
}

TEST(ClaimExpression, finds_members_and_entries) {
  EXPECT_DOUBLE_EQ(value("p50_us"), 4.5);
  EXPECT_DOUBLE_EQ(value("samples[contender=sdpa].p50_us"), 3);
  EXPECT_DOUBLE_EQ(value("samples[contender=ours,shape=\"B=1,H=8\"].p50_us"), 2);
  EXPECT_DOUBLE_EQ(value("samples[1].p50_us"), 3);
  EXPECT_DOUBLE_EQ(value("samples[p50_us=3].p50_us"), 3);
  EXPECT_DOUBLE_EQ(value("cases.\"B=2,H=8\".ratio"), 1.25);
}

TEST(ClaimExpression, calculates) {
  EXPECT_DOUBLE_EQ(value("samples[contender=sdpa].p50_us / samples[contender=ours].p50_us"), 1.5);
  EXPECT_DOUBLE_EQ(value("(p50_us + 1.5) * 2 - 1"), 11);
  EXPECT_DOUBLE_EQ(value("min(times)"), 1);
  EXPECT_DOUBLE_EQ(value("max(times, 9)"), 9);
  EXPECT_DOUBLE_EQ(value("median(times)"), 3);
  EXPECT_DOUBLE_EQ(value("mean(times)"), 3);
  EXPECT_DOUBLE_EQ(value("sum(times)"), 9);
  EXPECT_DOUBLE_EQ(value("count(cases.*.ratio)"), 2);
  EXPECT_DOUBLE_EQ(value("min(cases.*.ratio)"), 1.25);
  EXPECT_DOUBLE_EQ(value("max(min(times), 2)"), 2);
}

TEST(ClaimExpression, what_makes_no_sense_is_an_error) {
  for (const char* expression : {"",
                                 "nothing",
                                 "name",
                                 "times",
                                 "samples.p50_us",
                                 "samples[contender=none].p50_us",
                                 "samples[9].p50_us",
                                 "p50_us +",
                                 "p50_us)",
                                 "(p50_us",
                                 "min()",
                                 "min(times",
                                 "samples[contender",
                                 "samples[=x]",
                                 "\"open",
                                 "p50_us 3",
                                 "samples[contender=ours",
                                 "cases..ratio",
                                 "1..2",
                                 "*",
                                 "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
                                 "((((((((((((((((((((((1"}) {
    EXPECT_FALSE(evaluate(expression, kDocument).ok()) << expression;
  }
}

}  // namespace
}  // namespace assay::claims
