// SPDX-License-Identifier: MIT
#include "measure/verifier.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "base/text.hpp"
#include "check/element.hpp"
#include "fake_contender.hpp"
#include "measure/fingerprint.hpp"

namespace assay::measure {
namespace {

using spec::DType;

// Wide enough for half precision: the tolerance is not what these tests are about.
std::string wide_toml(const std::string& problem = "") {
  return replace_all(row_sum_toml(problem), "2e-3", "1e-2");
}

std::string toml_with(const std::string& dtype, const std::string& shape, const std::string& problem = "") {
  const std::string typed = replace_all(wide_toml(problem), "f32", dtype);
  return replace_all(typed, "ROWS = 8, COLUMNS = 12", shape);
}

// Row sums, judged: the expected ones, and any that a test computes in its own way.
class VerifierCase {
 public:
  explicit VerifierCase(const std::string& toml = wide_toml())
      : folder_(toml),
        oracle_(*check::Oracle::open(folder_.spec(), folder_.folder().path() / "cache")),
        verifier_(folder_.problem(), oracle_) {
    ScratchFiles scratch(1 << 20);
    auto inputs = InputSet::make(folder_.problem(), 9, scratch, "set");
    EXPECT_TRUE(inputs.ok());
    values_ = *inputs->values(folder_.problem());
    auto expected = verifier_.expected(*inputs);
    EXPECT_TRUE(expected.ok()) << (expected ? "" : to_string(expected.error()));
    expected_ = std::move(*expected);
  }

  const Verifier& verifier() const { return verifier_; }
  const reference::Outputs& expected() const { return expected_; }
  std::vector<double> wanted() const { return expected_.at("y").values; }
  const spec::ResolvedTensor& y() const { return *folder_.problem().outputs()[0]->tensor(); }

  OutputBytes encoded(const std::vector<double>& values) const {
    OutputBytes outputs;
    outputs["y"].resize(static_cast<size_t>(y().bytes));
    check::encode(y(), values, outputs["y"]);
    return outputs;
  }
  Verification verify(const std::vector<double>& values) const { return verifier_.verify(expected_, encoded(values)); }
  // The sums by a kernel that rounds after each addition.
  std::vector<double> sums(const std::function<double(double)>& round) const {
    const std::vector<double>& x = values_.at("x").values;
    const size_t columns = x.size() / wanted().size();
    std::vector<double> result(wanted().size());
    for (size_t row = 0; row < result.size(); ++row) {
      for (size_t i = 0; i < columns; ++i) result[row] = round(result[row] + x[row * columns + i]);
    }
    return result;
  }

 private:
  ProblemFolder folder_;
  check::Oracle oracle_;
  Verifier verifier_;
  check::InputValues values_;
  reference::Outputs expected_;
};

double to_half(double value) {
  return check::round_to(DType::f16, value);
}
double to_single(double value) {
  return check::round_to(DType::f32, value);
}

TEST(Verifier, passes_what_is_right) {
  const VerifierCase test;
  const Verification verification = test.verify(test.wanted());
  EXPECT_TRUE(verification.passed()) << verification.text();
  EXPECT_EQ(verification.accuracy.error, verification.accuracy.rounding);
  EXPECT_GT(verification.accuracy.limit, 0);
}

TEST(Verifier, names_the_element_that_is_wrong) {
  const VerifierCase test;
  std::vector<double> values = test.wanted();
  values[5] += 1;
  const Verification verification = test.verify(values);
  EXPECT_FALSE(verification.passed());
  ASSERT_TRUE(verification.mismatch);
  EXPECT_TRUE(mentions(*verification.mismatch, "y[5]")) << *verification.mismatch;
  EXPECT_EQ(verification.text(), *verification.mismatch);
}

TEST(Verifier, refuses_what_is_no_number) {
  const VerifierCase test;
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> values = test.wanted();
    values.back() = bad;
    const Verification verification = test.verify(values);
    EXPECT_FALSE(verification.passed());
    ASSERT_TRUE(verification.mismatch);
    EXPECT_TRUE(mentions(*verification.mismatch, "y[7]")) << *verification.mismatch;
  }
}

TEST(Verifier, refuses_poison_in_every_byte) {
  const VerifierCase test;
  for (const int poison : {0xff, 0xa5, 0x3c}) {
    OutputBytes outputs;
    outputs["y"].assign(static_cast<size_t>(test.y().bytes), static_cast<uint8_t>(poison));
    EXPECT_FALSE(test.verifier().verify(test.expected(), outputs).passed()) << poison;
  }
}

TEST(Verifier, misses_an_output) {
  const VerifierCase test;
  const Verification verification = test.verifier().verify(test.expected(), {});
  EXPECT_FALSE(verification.passed());
  EXPECT_TRUE(mentions(verification.text(), "'y'")) << verification.text();
}

// Whatever the tolerance allows: sums in half precision lie within one per cent, and are caught.
TEST(Verifier, finds_precision_that_was_given_away) {
  const VerifierCase test(toml_with("f16", "ROWS = 64, COLUMNS = 1024", "flops = \"1\"\n"));
  std::vector<double> values = test.sums(to_half);
  for (size_t i = 0; i < values.size(); ++i) {
    // Sums near zero have an error beyond any tolerance; here the precision of the whole is the matter.
    const double allowed = 1e-2 + 1e-2 * std::abs(test.wanted()[i]);
    if (std::abs(values[i] - test.wanted()[i]) > 0.9 * allowed)
      values[i] = test.wanted()[i] + std::copysign(0.9 * allowed, values[i] - test.wanted()[i]);
  }
  const Verification verification = test.verify(values);
  EXPECT_EQ(verification.mismatch, std::nullopt);
  EXPECT_GT(verification.accuracy.error, verification.accuracy.limit);
  EXPECT_FALSE(verification.passed());
  EXPECT_TRUE(mentions(verification.text(), "the error of the whole output")) << verification.text();
}

TEST(Verifier, does_not_ask_for_more_than_honest_arithmetic_gives) {
  for (const char* dtype : {"f16", "bf16", "f32"}) {
    const VerifierCase test(toml_with(dtype, "ROWS = 64, COLUMNS = 1024"));
    const Verification rounded = test.verify(test.wanted());
    EXPECT_TRUE(rounded.passed()) << dtype << ": " << rounded.text();
    const Verification in_single = test.verify(test.sums(to_single));
    EXPECT_TRUE(in_single.passed()) << dtype << ": " << in_single.text();
  }
}

TEST(Verifier, allows_wide_types_more_of_their_small_errors) {
  EXPECT_LT(accuracy_factor(DType::f16), accuracy_factor(DType::f32));
  EXPECT_EQ(accuracy_factor(DType::bf16), accuracy_factor(DType::e4m3));
  EXPECT_EQ(accuracy_factor(DType::f32), accuracy_factor(DType::f64));
}

TEST(Verifier, allows_some_error_where_the_right_result_has_none) {
  std::string toml = toml_with("f32", "ROWS = 8, COLUMNS = 12");
  toml.replace(toml.find("fill = \"normal\""), 15, "fill = \"ones\"");
  const VerifierCase test(toml);
  ASSERT_EQ(test.wanted()[0], 12);
  EXPECT_TRUE(test.verify(test.wanted()).passed());
  std::vector<double> values = test.wanted();
  values[0] = std::nextafter(12.0f, 13.0f);
  EXPECT_TRUE(test.verify(values).passed()) << test.verify(values).text();
  values[0] = 12.05;
  const Verification rough = test.verify(values);
  EXPECT_EQ(rough.mismatch, std::nullopt);
  EXPECT_FALSE(rough.passed());
}

TEST(Verifier, is_not_excused_by_one_result_beyond_the_type) {
  const VerifierCase test(toml_with("f16", "ROWS = 64, COLUMNS = 16"));
  reference::Outputs expected = test.expected();
  expected.at("y").values[0] = 70000;  // rounds to infinity; the largest number is right as well
  std::vector<double> values = expected.at("y").values;
  values[0] = 65504;
  EXPECT_TRUE(test.verifier().verify(expected, test.encoded(values)).passed());
  for (size_t i = 1; i < values.size(); ++i) values[i] += 0.9e-2;
  const Verification verification = test.verifier().verify(expected, test.encoded(values));
  EXPECT_EQ(verification.mismatch, std::nullopt);
  EXPECT_TRUE(std::isfinite(verification.accuracy.limit));
  EXPECT_FALSE(verification.passed());
}

TEST(Verifier, compares_two_contenders_with_twice_the_tolerance) {
  const VerifierCase test;
  std::vector<double> values = test.wanted();
  const OutputBytes accepted = test.encoded(values);
  EXPECT_EQ(test.verifier().disagreement(accepted, accepted), std::nullopt);
  const double allowed = 1e-2 + 1e-2 * std::abs(values[2]);
  values[2] += 1.8 * allowed;
  EXPECT_EQ(test.verifier().disagreement(accepted, test.encoded(values)), std::nullopt);
  values[2] += 0.5 * allowed;
  const auto difference = test.verifier().disagreement(accepted, test.encoded(values));
  ASSERT_TRUE(difference);
  EXPECT_TRUE(mentions(*difference, "y[2]")) << *difference;
}

TEST(Verifier, leaves_what_costs_too_much) {
  EXPECT_TRUE(VerifierCase(wide_toml("flops = \"3e10\"\n")).verifier().knows_all());
  EXPECT_FALSE(VerifierCase(wide_toml("flops = \"3.1e10\"\n")).verifier().knows_all());
  EXPECT_TRUE(VerifierCase().verifier().knows_all());
}

TEST(Verifier, knows_a_sample_of_what_costs_too_much) {
  const VerifierCase test(toml_with("f32", "ROWS = 64, COLUMNS = 12", "flops = \"4e10\"\n"));  // an eighth of the rows
  EXPECT_TRUE(test.verifier().knows_some());
  const std::vector<double> right = VerifierCase(toml_with("f32", "ROWS = 64, COLUMNS = 12")).wanted();
  std::vector<double> values = right;
  EXPECT_TRUE(test.verify(values).passed());
  EXPECT_EQ(test.verify(values).accuracy.share, 0.125);
  size_t known = 0;
  for (size_t row = 0; row < right.size(); ++row) {
    values = right;
    values[row] += 1;
    const bool is_known = reference::has_result(test.wanted()[row]);
    known += is_known ? 1 : 0;
    if (is_known) {
      EXPECT_EQ(test.wanted()[row], right[row]);
    }
    EXPECT_EQ(test.verify(values).passed(), !is_known) << row;
  }
  EXPECT_EQ(known, 8u);
}

TEST(Verifier, finds_what_was_not_written) {
  const VerifierCase test;
  const OutputBytes written = test.encoded(test.wanted());
  EXPECT_EQ(test.verifier().unwritten(written, written), std::nullopt);
  OutputBytes after_ff = written;
  OutputBytes after_a5 = written;
  std::fill_n(after_ff["y"].begin() + 12, 4, uint8_t{0xff});  // the fourth float
  EXPECT_EQ(test.verifier().unwritten(after_ff, after_a5), std::nullopt) << "only in one of the calls";
  std::fill_n(after_a5["y"].begin() + 12, 4, uint8_t{0xa5});
  EXPECT_EQ(test.verifier().unwritten(after_ff, after_a5), "element 3 of 'y' (row-major) was not written");
}

TEST(OutputBytes, of_several_outputs_have_the_sum_as_fingerprint) {
  const std::vector<uint8_t> one{1, 2, 3};
  const std::vector<uint8_t> other{4, 5, 6, 7, 8};
  EXPECT_EQ(fingerprint(OutputBytes{{"a", one}, {"b", other}}),
            fingerprint(std::span(one)) + fingerprint(std::span(other)));
}

}  // namespace
}  // namespace assay::measure
