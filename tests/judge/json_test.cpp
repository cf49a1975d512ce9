// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "judge/comparison_json.hpp"
#include "judge/gate_json.hpp"
#include "sample_gate.hpp"

namespace assay::judge {
namespace {

using nlohmann::json;

TEST(ComparisonJson, comes_back_as_it_was) {
  for (const GateCaseResult& test : sample_gate().cases) {
    if (!test.comparison) continue;
    const auto back = comparison_from_json(json::parse(to_json(*test.comparison).dump()));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, *test.comparison);
  }
  // Infinities, too: one sample on each side.
  const Comparison one = compare({{{20}, {}, {}}}, {{{21}, {}, {}}}).value();
  EXPECT_EQ(comparison_from_json(json::parse(to_json(one).dump())).value(), one);
}

TEST(ComparisonJson, has_the_fields_that_scripts_read) {
  const json document = to_json(*sample_gate().cases[0].comparison);
  EXPECT_EQ(document.at("verdict"), "SLOWER");
  EXPECT_GT(document.at("ratio").get<double>(), 1.03);
  EXPECT_EQ(document.at("interval").size(), 2u);
  EXPECT_GE(document.at("candidate").at("samples"), 240);
  EXPECT_TRUE(document.at("cycles").at("confirms").get<bool>());
}

// Every field removed, and every field given a wrong type, in turn: an error, never a crash.
TEST(ComparisonJson, refuses_what_is_damaged) {
  const json good = to_json(*sample_gate().cases[0].comparison);
  for (const auto& [key, value] : good.items()) {
    if (key == "cycles") continue;  // may be missing
    json missing = good;
    missing.erase(key);
    EXPECT_FALSE(comparison_from_json(missing).ok()) << key;
  }
  for (const auto& [key, value] : good.items()) {
    json wrong = good;
    wrong[key] = json::object({{"x", 1}});
    EXPECT_FALSE(comparison_from_json(wrong).ok()) << key;
  }
  json word = good;
  word["verdict"] = "QUICK";
  EXPECT_EQ(comparison_from_json(word).error().message, "this is not a comparison: unknown word 'QUICK'");
  json negative = good;
  negative["units"] = -1;
  EXPECT_FALSE(comparison_from_json(negative).ok());
  EXPECT_FALSE(comparison_from_json(json(3)).ok());
  EXPECT_FALSE(comparison_from_json(json()).ok());
}

TEST(GateJson, says_what_was_decided_and_escapes_bytes_that_are_no_text) {
  const json document = json::parse(to_json(sample_gate()).dump());
  EXPECT_EQ(document.at("exit_code"), 5);
  EXPECT_EQ(document.at("cases").at(0).at("verdict"), "REGRESSION");
  EXPECT_EQ(document.at("cases").at(3).at("reason"), "o[3] & \"q\": expected 1,\ngot \x01\xEF\xBF\xBD");
}

TEST(CalibrationJson, comes_back_as_it_was_and_refuses_what_is_damaged) {
  const GateResult result = sample_gate();
  const json good = to_json(result).at("calibration");
  const auto back = calibration_from_json(json::parse(good.dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, *result.calibration);
  for (const auto& [key, value] : good.items()) {
    json wrong = good;
    wrong[key] = json::object();
    EXPECT_FALSE(calibration_from_json(wrong).ok()) << key;
  }
  EXPECT_FALSE(calibration_from_json(json::array()).ok());
}

}  // namespace
}  // namespace assay::judge
