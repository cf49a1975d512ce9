// SPDX-License-Identifier: MIT
#include "check/self_test.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "check/compare.hpp"
#include "check/element.hpp"
#include "check/result_json.hpp"
#include "tensor_builder.hpp"

namespace assay::check {
namespace {

using spec::DType;

const std::vector<double> kExpected = {0.5, -1, 0.25, 2, 1, -0.125};  // two rows of three

std::vector<std::string> caught(const std::vector<PerturbationTrial>& trials) {
  std::vector<std::string> names;
  for (const PerturbationTrial& trial : trials)
    names.push_back((trial.caught ? "" : "not ") + std::string(name(trial.perturbation)));
  return names;
}

std::vector<std::string> tried(DType type, std::vector<double> expected, const spec::Tolerance& tolerance,
                               std::vector<int64_t> dims = {2, 3}) {
  return caught(try_perturbations("y", dense_tensor(type, std::move(dims)), expected, tolerance));
}

using Names = std::vector<std::string>;
const Names kAll = {"one element", "one row", "one ulp beyond tolerance", "NaN"};

TEST(SelfTest, CatchesEveryPerturbationWithASensibleTolerance) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::e4m3, DType::e5m2})
    EXPECT_EQ(tried(type, kExpected, {1e-2, 1e-2}), kAll) << static_cast<int>(type);
  EXPECT_EQ(tried(DType::f64, kExpected, {0, 0}), kAll);
  EXPECT_EQ(tried(DType::i32, {5, -10, 2, 20, 1, -1}, {0, 0}),
            (Names{"one element", "one row", "one ulp beyond tolerance"}));
  EXPECT_EQ(tried(DType::u8, {255, 0, 2, 20, 1, 7}, {0, 0}),
            (Names{"one element", "one row", "one ulp beyond tolerance"}));
}

TEST(SelfTest, CatchesWhatIsFurtherOffThanRounding) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::e4m3, DType::e5m2})
    EXPECT_EQ(tried(type, {1.0 / 3.0, 2.0 / 3.0, 0.1, 0.7, -1.0 / 3.0, 0.9}, {0, 0}), kAll) << static_cast<int>(type);
}

TEST(SelfTest, MissesWhatAWideToleranceHides) {
  EXPECT_EQ(tried(DType::f32, {4, 1, 1, 2, 1, 1}, {3, 0}),
            (Names{"one element", "not one row", "one ulp beyond tolerance", "NaN"}));
  EXPECT_EQ(tried(DType::f32, kExpected, {10, 0}),
            (Names{"not one element", "not one row", "one ulp beyond tolerance", "NaN"}));
  EXPECT_EQ(tried(DType::f32, kExpected, {0, 1}).front(), "not one element") << "rtol = 1 takes zero for everything";
  EXPECT_EQ(tried(DType::u8, {255, 0, 2, 20, 1, 7}, {300, 0}),
            (Names{"not one element", "not one row", "not one ulp beyond tolerance"}))
      << "wider than the type";
}

TEST(SelfTest, CatchesNeighboursOfLargeIntegers) {
  constexpr uint64_t kEven = uint64_t{1} << 60;
  const Names integer = {"one element", "one row", "one ulp beyond tolerance"};
  const auto planted = [&](DType type, std::vector<uint64_t> words, const spec::Tolerance& tolerance) {
    const auto numbers = reference::numbers_of_words(std::move(words), integers_of(type));
    return caught(try_perturbations("y", dense_tensor(type, {2}), numbers, tolerance));
  };
  EXPECT_EQ(planted(DType::i64, {kEven + 1, 4}, {0, 0}), integer);
  EXPECT_EQ(planted(DType::i64, {kEven + 1, 4}, {3, 0}), integer);
  EXPECT_EQ(planted(DType::u64, {~uint64_t{0}, 4}, {0, 0}), integer) << "where the type ends";
  EXPECT_EQ(planted(DType::i64, {uint64_t{1} << 63, 4}, {0, 0}), integer);
  EXPECT_EQ(planted(DType::i64, {kEven, 4}, {0, 1}).front(), "not one element");
  EXPECT_FALSE(same_results({{"y", {"y", {1}, {0x1p60}, {kEven + 1}, reference::Integers::i64}}},
                            {{"y", {"y", {1}, {0x1p60}, {kEven}, reference::Integers::i64}}}));
}

TEST(SelfTest, PlantsTheFirstNumberBeyondTheTolerance) {
  const spec::ResolvedTensor tensor = dense_tensor(DType::f16, {1});
  const spec::Tolerance tolerance{0.25, 0};
  const auto trials = try_perturbations("y", tensor, std::vector<double>{8}, tolerance);
  ASSERT_EQ(trials.size(), 3u);
  const PerturbationTrial& trial = trials[1];
  EXPECT_EQ(trial.planted, 8.25 + ulp(DType::f16, 8.25));
  EXPECT_TRUE(trial.caught);
  EXPECT_TRUE(compare(tensor, std::vector<double>{8}, std::vector<double>{8.25}, tolerance).passed())
      << "one unit less is allowed";
}

TEST(SelfTest, StaysWithinTheType) {
  const auto trials = try_perturbations("y", dense_tensor(DType::f16, {2}), std::vector<double>{65504, 1}, {0, 1e-3});
  for (const PerturbationTrial& trial : trials) EXPECT_TRUE(trial.caught) << name(trial.perturbation);
  EXPECT_LT(trials[2].planted, 65504);
}

TEST(SelfTest, TriesOnlyWhatTheOutputAllows) {
  const double nan = std::nan("");
  EXPECT_EQ(tried(DType::f32, {0, 0, 0, 0, 0, 0}, {1e-3, 0}), (Names{"one element", "one ulp beyond tolerance", "NaN"}))
      << "equal rows cannot be exchanged";
  EXPECT_EQ(tried(DType::f32, {nan, nan, nan, nan, nan, nan}, {1e-3, 0}), Names{"not one element"});
  EXPECT_EQ(tried(DType::f32, {nan, 1, nan, nan, 2, nan}, {1e-3, 0}), kAll) << "what is undefined is not perturbed";
  EXPECT_EQ(tried(DType::f32, {}, {1e-3, 0}, {0}), Names{});
  EXPECT_EQ(tried(DType::f32, {1, 2, 3}, {1e-3, 0}, {3}), kAll) << "a single row is shifted";
}

TEST(SelfTest, AnOutputWithoutAnyResultIsMissed) {
  const double nan = std::nan("");
  SelfTest test;
  test.trials = try_perturbations("z", dense_tensor(DType::f32, {3}), std::vector<double>{nan, nan, nan}, {1e-3, 0});
  ASSERT_NE(test.missed(), nullptr);
  EXPECT_EQ(describe(*test.missed()),
            "z[0] = 0 passes, as anything would: the reference has no result for any element of 'z'");
  const double infinity = std::numeric_limits<double>::infinity();
  test.trials = try_perturbations("z", dense_tensor(DType::f32, {2}), std::vector<double>{nan, infinity}, {1e-3, 0});
  EXPECT_EQ(test.trials.size(), 1u);
  EXPECT_EQ(test.missed(), nullptr) << "infinity is a result";
}

TEST(SelfTest, AFunctionMayTakeSomeCopiesForRightButNotAll) {
  SelfTest test;
  test.by_function = true;
  test.trials.resize(3);
  EXPECT_EQ(test.missed(), &test.trials.front());
  test.trials.back().caught = true;
  EXPECT_EQ(test.missed(), nullptr);
  test.by_function = false;
  EXPECT_EQ(test.missed(), &test.trials.front());
  EXPECT_EQ(wrong_copies("y", dense_tensor(DType::f32, {2}), std::vector<double>{1, -3}).front().values,
            (std::vector<double>{1, 0}));
  EXPECT_EQ(wrong_copies("y", dense_tensor(DType::i32, {2}), std::vector<double>{1, -3}).size(), 1u);
  EXPECT_TRUE(wrong_copies("y", dense_tensor(DType::f32, {0}), {}).empty());
}

TEST(SelfTest, FindsWhatIsSuspicious) {
  EXPECT_EQ(suspicion_of({"y", {3}, {0.5, 0.5, 0.5}}), "y: all 3 values are 0.5");
  EXPECT_EQ(suspicion_of({"y", {3}, {0.5, 0.5, 0.25}}), "");
  EXPECT_EQ(suspicion_of({"y", {1}, {0.5}}), "") << "one value is no pattern";
  const double nan = std::nan("");
  const reference::Outputs one = {{"y", {"y", {2}, {1, nan}}}};
  EXPECT_TRUE(same_results(one, one));
  EXPECT_FALSE(same_results(one, {{"y", {"y", {2}, {2, nan}}}}));
  EXPECT_FALSE(same_results(one, {{"z", {"z", {2}, {1, nan}}}}));
}

TEST(SelfTest, TravelsAsJson) {
  SelfTest test;
  test.test.seed = 7;
  test.trials = try_perturbations("y", dense_tensor(DType::f32, {2, 3}), kExpected, {10, 0});
  test.inputs_vary = true;
  test.suspicions = {"strange"};
  const auto again = self_test_from_json(to_json(test), test.test);
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(to_json(*again), to_json(test));
  ASSERT_NE(again->missed(), nullptr);
  EXPECT_EQ(again->missed()->index, (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(again->reference_ignores_inputs());
  EXPECT_TRUE(std::isnan(again->trials.back().planted));
  for (const char* nonsense : {"{}", "[]", "{\"perturbations\": 3}", "{\"perturbations\": [{}]}"})
    EXPECT_FALSE(self_test_from_json(nlohmann::json::parse(nonsense), test.test).ok()) << nonsense;
}

}  // namespace
}  // namespace assay::check
