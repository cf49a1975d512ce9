// SPDX-License-Identifier: MIT
#include "check/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "base/hash.hpp"
#include "check/element.hpp"
#include "tensor_builder.hpp"

namespace assay::check {
namespace {

using spec::DType;
using spec::FillKind;

std::vector<double> make(Distribution distribution, DType type = DType::f16, std::vector<int64_t> dims = {4, 16, 32},
                         uint64_t seed = 5) {
  return make_input("x", dense_tensor(type, std::move(dims)), {distribution, seed, true}).values;
}

std::vector<double> filled(FillKind kind, DType type, std::vector<int64_t> dims = {8, 64}) {
  spec::ResolvedTensor tensor = dense_tensor(type, std::move(dims));
  tensor.fill.kind = kind;
  tensor.fill.low = -2, tensor.fill.high = 3, tensor.fill.value = 2.5;
  return make_input("x", tensor, {}).values;
}

double deviation(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

int64_t count_if(const std::vector<double>& values, bool (*predicate)(double)) {
  return std::count_if(values.begin(), values.end(), predicate);
}

TEST(Inputs, NamesGoBothWays) {
  for (const Distribution distribution : all_distributions()) {
    EXPECT_EQ(distribution_from_name(name(distribution)), distribution);
  }
  EXPECT_EQ(distribution_from_name("gaussian"), std::nullopt);
}

TEST(Inputs, AreRepeatableAndDifferBySeedAndName) {
  EXPECT_EQ(make(Distribution::specified), make(Distribution::specified));
  EXPECT_NE(make(Distribution::specified), make(Distribution::specified, DType::f16, {4, 16, 32}, 6));
  const spec::ResolvedTensor tensor = dense_tensor(DType::f32, {64});
  EXPECT_NE(make_input("q", tensor, {}), make_input("k", tensor, {}));
}

// Parts of a large tensor are made at once; these numbers were made one after the other. A seed means the same inputs
// for ever.
TEST(Inputs, OfALargeTensorAreThoseOfOneSequence) {
  const spec::ResolvedTensor tensor = dense_tensor(DType::f16, {4, 16, 1024, 10});
  const std::vector<double> values = make_input("q", tensor, {Distribution::specified, 7, false}).values;
  std::vector<uint8_t> bytes(static_cast<size_t>(tensor.bytes));
  encode(tensor, values, bytes);
  EXPECT_EQ(content_hash(bytes), "1c1f723687bacccefadb791d8336bcc6");
}

TEST(Inputs, AreValuesOfTheType) {
  for (const Distribution distribution : all_distributions()) {
    for (const DType type :
         {DType::f16, DType::bf16, DType::f32, DType::f64, DType::e4m3, DType::e5m2, DType::i8, DType::u8}) {
      for (const double value : make(distribution, type)) ASSERT_EQ(round_to(type, value), value) << name(distribution);
    }
  }
}

TEST(Inputs, OnlyInfinitiesAreNotFinite) {
  for (const Distribution distribution : all_distributions()) {
    for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::e4m3, DType::e5m2}) {
      const bool finite = count_if(make(distribution, type), [](double v) { return !std::isfinite(v); }) == 0;
      EXPECT_EQ(finite, distribution != Distribution::infinities || type == DType::e4m3) << name(distribution);
    }
  }
}

TEST(Inputs, Magnitudes) {
  EXPECT_NEAR(deviation(make(Distribution::specified)), 1.0, 0.1);
  EXPECT_NEAR(deviation(make(Distribution::large)), 16.0, 1.6);
  EXPECT_NEAR(deviation(make(Distribution::tiny)), 0x1.0p-10, 0x1.0p-13);
  EXPECT_NEAR(deviation(make(Distribution::tiny, DType::f32)), 0x1.0p-40, 0x1.0p-43);
}

TEST(Inputs, OneHotRows) {
  const std::vector<double> values = make(Distribution::one_hot);
  for (size_t row = 0; row < values.size(); row += 32) {
    EXPECT_EQ(std::count(values.begin() + static_cast<long>(row), values.begin() + static_cast<long>(row) + 32, 1.0),
              1);
  }
  EXPECT_EQ(std::count(values.begin(), values.end(), 0.0), static_cast<long>(values.size() / 32 * 31));
}

TEST(Inputs, SpecialValues) {
  const std::vector<double> zeros = make(Distribution::with_negative_zero);
  const auto negative_zero = [](double v) { return v == 0 && std::signbit(v); };
  EXPECT_NEAR(static_cast<double>(count_if(zeros, negative_zero)), static_cast<double>(zeros.size()) / 4, 100);
  EXPECT_NEAR(static_cast<double>(std::count(zeros.begin(), zeros.end(), 0.0)), static_cast<double>(zeros.size()) / 2,
              150);
  for (const double value : make(Distribution::denormals)) ASSERT_LE(std::abs(value), 0x1.0p-14);
  EXPECT_GT(count_if(make(Distribution::denormals), [](double v) { return v != 0; }), 1900);
  const std::vector<double> constant = make(Distribution::constant);
  EXPECT_EQ(std::set<double>(constant.begin(), constant.end()).size(), 1u);
}

TEST(Inputs, InfinitiesAreOnePerMatrixAndOnlyWhereAllowed) {
  EXPECT_EQ(count_if(make(Distribution::infinities), [](double v) { return std::isinf(v); }), 4);
  const auto without = make_input("x", dense_tensor(DType::f16, {4, 16, 32}), {Distribution::infinities, 5, false});
  EXPECT_EQ(count_if(without.values, [](double v) { return std::isinf(v); }), 0);
}

TEST(Inputs, LargeIntegersAreNotOnlyDoubles) {
  for (const DType type : {DType::i64, DType::u64}) {
    spec::ResolvedTensor tensor = dense_tensor(type, {16, 64});
    const double low = type == DType::i64 ? -0x1p62 : 0;
    tensor.fill.kind = FillKind::uniform, tensor.fill.low = low, tensor.fill.high = 0x1p62;
    const reference::Numbers numbers = make_input("x", tensor, {});
    ASSERT_EQ(numbers.words.size(), 1024u);
    EXPECT_GT(std::ranges::count_if(numbers.words, [](uint64_t word) { return word % 2 == 1; }), 400);
    for (const double value : numbers.values) ASSERT_TRUE(value >= low && value <= 0x1p62);
    tensor.fill.kind = FillKind::sorted;
    const reference::Numbers sorted = make_input("x", tensor, {});
    for (size_t i = 1; i < 64; ++i) ASSERT_LE(sorted.values[i - 1], sorted.values[i]);
    tensor.fill.kind = FillKind::constant, tensor.fill.value = 0x1p60, tensor.fill.whole = (int64_t{1} << 60) + 1;
    EXPECT_EQ(make_input("x", tensor, {}).words.front(), (uint64_t{1} << 60) + 1);
    tensor.fill.kind = FillKind::uniform, tensor.fill.high = 1000, tensor.fill.low = 0;
    EXPECT_TRUE(make_input("x", tensor, {}).words.empty()) << "doubles do";
  }
}

TEST(Inputs, DistributionsLeaveOtherFillsAlone) {
  spec::ResolvedTensor tensor = dense_tensor(DType::f32, {16});
  tensor.fill.kind = FillKind::ones;
  EXPECT_EQ(make_input("x", tensor, {Distribution::large, 1, false}), std::vector<double>(16, 1.0));
  spec::ResolvedTensor integers = dense_tensor(DType::i32, {16});
  EXPECT_EQ(make_input("x", integers, {Distribution::large, 1, false}),
            make_input("x", integers, {Distribution::specified, 1, false}));
}

TEST(Inputs, Fills) {
  EXPECT_EQ(filled(FillKind::zeros, DType::f32), std::vector<double>(512, 0.0));
  EXPECT_EQ(filled(FillKind::constant, DType::f32), std::vector<double>(512, 2.5));
  const std::vector<double> iota = filled(FillKind::iota, DType::bf16, {300});
  EXPECT_EQ(iota[255], 255);
  EXPECT_EQ(iota[256], 0);  // what bf16 cannot hold starts again
  const std::vector<double> integers = filled(FillKind::uniform, DType::i32);
  EXPECT_EQ(std::set<double>(integers.begin(), integers.end()), (std::set<double>{-2, -1, 0, 1, 2}));
  for (const double value : filled(FillKind::uniform, DType::f64)) ASSERT_TRUE(value >= -2 && value < 3);
  EXPECT_GT(count_if(filled(FillKind::signed_zeros, DType::f32), [](double v) { return std::signbit(v); }), 200);
  EXPECT_NEAR(deviation(filled(FillKind::large, DType::f32)), 16, 2);
}

TEST(Inputs, APermutationHasEveryIndexOnceInEachRow) {
  const std::vector<double> values = filled(FillKind::permutation, DType::i32);
  for (size_t row = 0; row < 8; ++row) {
    const std::set<double> seen(values.begin() + 64 * row, values.begin() + 64 * (row + 1));
    EXPECT_EQ(seen.size(), 64u);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), 63);
  }
  EXPECT_FALSE(std::is_sorted(values.begin(), values.begin() + 64));
}

TEST(Inputs, OffsetsRiseFromZeroToTheTotal) {
  spec::ResolvedTensor tensor = dense_tensor(DType::i32, {3, 50});
  tensor.fill.kind = FillKind::offsets;
  tensor.fill.total = 1000;
  const std::vector<double> values = make_input("x", tensor, {}).values;
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_TRUE(std::is_sorted(values.begin() + 50 * row, values.begin() + 50 * (row + 1)));
    EXPECT_EQ(values[50 * row], 0);
    EXPECT_EQ(values[50 * row + 49], 1000);
  }
  EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 20u);
}

TEST(Inputs, SortedRowsRiseAndSparseOnesAreMostlyZero) {
  const std::vector<double> sorted = filled(FillKind::sorted, DType::f32);
  for (size_t row = 0; row < 8; ++row)
    EXPECT_TRUE(std::is_sorted(sorted.begin() + 64 * row, sorted.begin() + 64 * (row + 1)));
  EXPECT_FALSE(std::is_sorted(sorted.begin(), sorted.end()));
  spec::ResolvedTensor tensor = dense_tensor(DType::f32, {1000});
  tensor.fill.kind = FillKind::sparse;
  tensor.fill.density = 0.1;
  const std::vector<double> sparse = make_input("x", tensor, {}).values;
  const auto zeros = std::count(sparse.begin(), sparse.end(), 0.0);
  EXPECT_GT(zeros, 850);
  EXPECT_LT(zeros, 950);
}

TEST(Inputs, EveryFillAndDistributionTakesAnEmptyTensor) {
  for (const std::string& fill : spec::fill_names()) {
    for (const Distribution distribution : all_distributions()) {
      spec::ResolvedTensor tensor = dense_tensor(DType::f32, {2, 3});
      tensor.dims = {2, 0};
      tensor.elements = tensor.span = tensor.bytes = 0;
      tensor.fill.kind = *spec::fill_from_name(fill);
      EXPECT_TRUE(make_input("x", tensor, {distribution, 1, true}).values.empty()) << fill;
    }
  }
}

}  // namespace
}  // namespace assay::check
