// SPDX-License-Identifier: MIT
#include "check/compare.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "check/element.hpp"

namespace assay::check {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Judge {
 public:
  Judge(spec::DType type, const spec::Tolerance& tolerance)
      : type_(type), tolerance_(tolerance), overflow_at_(largest(type) + ulp(type, largest(type)) / 2) {}

  double allowed(double expected) const { return tolerance_.atol + tolerance_.rtol * std::abs(expected); }

  // With what rounding takes: no kernel can write what the type does not hold.
  double allowed(double expected, double got) const {
    const double tolerated = allowed(expected);
    if (!(std::abs(got - expected) > tolerated) || !spec::is_floating(type_) || overflows(expected)) return tolerated;
    return std::max(tolerated, std::abs(round_to(type_, expected) - expected));
  }

  // What is wrong with this element, if anything. `expected` is not NaN.
  std::optional<MismatchKind> verdict(double expected, double got) const {
    if (std::isnan(got))
      return overflows(expected) && !has_infinity(type_) ? std::nullopt : std::optional(MismatchKind::nan);
    if (overflows(expected)) return verdict_on_overflow(expected, got);
    if (std::isinf(got)) {
      const bool close =
          std::abs(expected) + allowed(expected) >= overflow_at_ && std::signbit(got) == std::signbit(expected);
      return close ? std::nullopt : std::optional(MismatchKind::infinite);
    }
    return std::abs(got - expected) <= allowed(expected, got) ? std::nullopt
                                                              : std::optional(MismatchKind::beyond_tolerance);
  }

 private:
  bool overflows(double expected) const { return spec::is_floating(type_) && std::abs(expected) >= overflow_at_; }

  std::optional<MismatchKind> verdict_on_overflow(double expected, double got) const {
    if (std::signbit(got) != std::signbit(expected))
      return std::isinf(got) ? MismatchKind::infinite : MismatchKind::not_infinite;
    if (std::isinf(got)) return std::nullopt;
    // A true infinity must stay one, unless the type has none; a finite number that is too large may saturate.
    if (std::isinf(expected) && has_infinity(type_)) return MismatchKind::not_infinite;
    const double least = largest(type_) - (std::isinf(expected) ? 0.0 : allowed(largest(type_)));
    return std::abs(got) >= least ? std::nullopt : std::optional(MismatchKind::not_infinite);
  }

  spec::DType type_;
  spec::Tolerance tolerance_;
  double overflow_at_;  // from here on rounding to nearest gives infinity
};

using reference::Int128;
using reference::NumbersView;

// One element of both sides as integers, where a double may not be all of one of them.
struct IntegerPair {
  Int128 expected;
  Int128 got;

  // Without the limits of a double: what is allowed is one, so that a part of a unit is none.
  bool within(double allowed) const {
    const Int128 difference = got > expected ? got - expected : expected - got;
    return allowed >= 0x1p65 || difference <= static_cast<Int128>(std::floor(allowed));
  }
};

class Integers {
 public:
  Integers(spec::DType type, const NumbersView& expected, const NumbersView& got)
      : integers_(integers_of(type)), expected_(expected), got_(got) {}

  std::optional<IntegerPair> pair(size_t at) const {
    if (integers_ == reference::Integers::none || (expected_.words.empty() && got_.words.empty())) return std::nullopt;
    const double expected = expected_.values[at];
    if (!small(expected) || !small(got_.values[at])) {
      // What was computed in float64 need be no integer, and none that 64 bits hold.
      constexpr double kLargest = 0x1p100;
      if (expected_.words.empty() && (std::nearbyint(expected) != expected || std::abs(expected) > kLargest))
        return std::nullopt;
      return IntegerPair{of(expected_, at), of(got_, at)};
    }
    return std::nullopt;
  }

 private:
  static bool small(double value) { return std::abs(value) < reference::kFirstInexact; }
  Int128 of(const NumbersView& numbers, size_t at) const {
    return numbers.words.empty() ? static_cast<Int128>(numbers.values[at])
                                 : reference::integer_of(numbers.words[at], integers_);
  }

  reference::Integers integers_;
  const NumbersView& expected_;
  const NumbersView& got_;
};

// Units of the last place say something of values that tolerance takes for more than zero: the error of a value of
// 1e-14 that is allowed to be off by 1e-6 is millions of units, and means nothing.
Mismatch measure(spec::DType type, double expected, double got, double atol) {
  Mismatch mismatch;
  mismatch.expected = expected;
  mismatch.got = got;
  if (std::isfinite(expected) && std::isfinite(got)) {
    mismatch.absolute_error = std::abs(got - expected);
    mismatch.relative_error = expected == 0 ? kNaN : mismatch.absolute_error / std::abs(expected);
    mismatch.ulp_error =
        std::abs(expected) > atol || !spec::is_floating(type) ? mismatch.absolute_error / ulp(type, expected) : kNaN;
  } else {
    mismatch.absolute_error = mismatch.relative_error = mismatch.ulp_error = kNaN;
  }
  return mismatch;
}

Mismatch measure(const IntegerPair& pair) {
  Mismatch mismatch;
  mismatch.expected = static_cast<double>(pair.expected);
  mismatch.got = static_cast<double>(pair.got);
  const Int128 difference = pair.got > pair.expected ? pair.got - pair.expected : pair.expected - pair.got;
  mismatch.absolute_error = mismatch.ulp_error = static_cast<double>(difference);
  mismatch.relative_error = pair.expected == 0 ? kNaN : mismatch.absolute_error / std::abs(mismatch.expected);
  return mismatch;
}

// Nine digits are not all of a large integer.
void add_digits(Mismatch& mismatch, spec::DType type, const std::optional<IntegerPair>& pair) {
  if (spec::is_floating(type)) return;
  const auto digits = [](double value) {
    constexpr double kNineDigits = 1e9;
    const bool needed = std::abs(value) >= kNineDigits && std::abs(value) <= 0x1p64 && std::nearbyint(value) == value;
    return needed ? reference::digits_of(static_cast<Int128>(value)) : "";
  };
  mismatch.expected_digits = pair ? reference::digits_of(pair->expected) : digits(mismatch.expected);
  mismatch.got_digits = pair ? reference::digits_of(pair->got) : digits(mismatch.got);
}

// A larger number is worse.
double badness(const Mismatch& mismatch) {
  switch (mismatch.kind) {
    case MismatchKind::unwritten:
    case MismatchKind::nan:
      return std::numeric_limits<double>::infinity();
    case MismatchKind::infinite:
    case MismatchKind::not_infinite:
      return std::numeric_limits<double>::max();
    default:
      return mismatch.absolute_error - mismatch.allowed;
  }
}

// The NaN of elements that are not both finite is never the greater one.
void raise(double& maximum, double value) {
  if (value > maximum) maximum = value;
}

void take_maxima(Comparison& comparison, const Mismatch& measured) {
  raise(comparison.max_absolute_error, measured.absolute_error);
  raise(comparison.max_relative_error, measured.relative_error);
  raise(comparison.max_ulp_error, measured.ulp_error);
  if (measured.absolute_error > 0) raise(comparison.tolerance_used, measured.absolute_error / measured.allowed);
}

double root_mean_square(std::span<const double> values) {
  double largest_magnitude = 0;  // scaled by it, squares neither overflow nor vanish
  for (const double value : values) {
    if (std::isfinite(value)) largest_magnitude = std::max(largest_magnitude, std::abs(value));
  }
  if (largest_magnitude == 0) return 0;
  double sum = 0;
  int64_t count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += (value / largest_magnitude) * (value / largest_magnitude);
    ++count;
  }
  return largest_magnitude * std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

std::string_view name(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::beyond_tolerance:
      return "beyond tolerance";
    case MismatchKind::nan:
      return "NaN";
    case MismatchKind::infinite:
      return "infinite";
    case MismatchKind::not_infinite:
      return "not infinite";
    case MismatchKind::unwritten:
      return "unwritten";
  }
  return "unknown";
}

Comparison compare(const spec::ResolvedTensor& tensor, const NumbersView& expected_numbers,
                   const NumbersView& got_numbers, const spec::Tolerance& tolerance,
                   std::span<const int64_t> unwritten) {
  const std::span<const double> expected = expected_numbers.values;
  const std::span<const double> got = got_numbers.values;
  assert(expected.size() == got.size() && got.size() == static_cast<size_t>(tensor.elements));
  const Judge judge(tensor.dtype, tolerance);
  const Integers integers(tensor.dtype, expected_numbers, got_numbers);
  Comparison comparison;
  comparison.elements = tensor.elements;
  auto next_unwritten = unwritten.begin();
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool missing = next_unwritten != unwritten.end() && *next_unwritten == static_cast<int64_t>(i);
    if (missing) ++next_unwritten;
    const bool defined = !std::isnan(expected[i]);
    if (!defined) {
      ++comparison.undefined;
      continue;
    }
    const std::optional<IntegerPair> pair = integers.pair(i);
    const auto wrong = missing                                    ? MismatchKind::unwritten
                       : !pair                                    ? judge.verdict(expected[i], got[i])
                       : pair->within(judge.allowed(expected[i])) ? std::nullopt
                                                                  : std::optional(MismatchKind::beyond_tolerance);
    Mismatch measured = pair ? measure(*pair) : measure(tensor.dtype, expected[i], got[i], tolerance.atol);
    measured.allowed = judge.allowed(expected[i], got[i]);
    if (!missing) take_maxima(comparison, measured);
    if (!wrong) continue;
    ++comparison.failures;
    measured.kind = *wrong;
    if (comparison.worst && badness(measured) <= badness(*comparison.worst)) continue;
    measured.index = index_of(tensor.dims, static_cast<int64_t>(i));
    add_digits(measured, tensor.dtype, pair);
    if (!comparison.first) comparison.first = measured;
    comparison.worst = std::move(measured);
  }
  return comparison;
}

spec::Tolerance tolerance_for(Distribution distribution, const spec::Tolerance& tolerance, spec::DType type,
                              std::span<const double> expected) {
  spec::Tolerance adapted = tolerance;
  if (distribution == Distribution::large) adapted.atol *= std::max(1.0, root_mean_square(expected));
  if (distribution == Distribution::tiny) {
    // A few subnormal steps remain: below the smallest normal number every rounding costs one.
    const double floor = spec::is_floating(type) ? 4 * smallest_positive(type) : 0.0;
    adapted.atol = std::min(tolerance.atol, tolerance.atol * std::min(1.0, root_mean_square(expected)) + floor);
  }
  return adapted;
}

std::optional<int64_t> first_changed_byte(std::span<const uint8_t> before, std::span<const uint8_t> after) {
  const auto [left, right] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  if (left == before.end() && right == after.end()) return std::nullopt;
  return left - before.begin();
}

std::optional<std::vector<int64_t>> element_at(const spec::ResolvedTensor& tensor, int64_t byte) {
  const int size = spec::size_bytes(tensor.dtype);
  const std::vector<int64_t> offsets = element_offsets(tensor);
  const auto found = std::find_if(offsets.begin(), offsets.end(),
                                  [&](int64_t offset) { return byte >= offset && byte < offset + size; });
  if (found == offsets.end()) return std::nullopt;
  return index_of(tensor.dims, found - offsets.begin());
}

std::string describe(const std::string& tensor_name, const Mismatch& mismatch) {
  const std::string where = fmt::format("{}[{}]", tensor_name, fmt::join(mismatch.index, ", "));
  const auto number = [](double value, const std::string& digits) {
    return digits.empty() ? fmt::format("{:.9g}", value) : digits;
  };
  const std::string expected = number(mismatch.expected, mismatch.expected_digits);
  const std::string got = number(mismatch.got, mismatch.got_digits);
  if (mismatch.kind == MismatchKind::unwritten)
    return fmt::format("{}: expected {}, but the kernel did not write it", where, expected);
  if (!std::isfinite(mismatch.absolute_error)) return fmt::format("{}: expected {}, got {}", where, expected, got);
  const std::string relative =
      std::isnan(mismatch.relative_error)
          ? ""
          : fmt::format("{:.3g} relative{}", mismatch.relative_error, std::isnan(mismatch.ulp_error) ? "" : ", ");
  const std::string units = std::isnan(mismatch.ulp_error) ? "" : fmt::format("{:.3g} ULP", mismatch.ulp_error);
  const std::string more = relative.empty() && units.empty() ? "" : fmt::format(" ({}{})", relative, units);
  return fmt::format("{}: expected {}, got {}, error {:.3g} where {:.3g} is allowed{}", where, expected, got,
                     mismatch.absolute_error, mismatch.allowed, more);
}

}  // namespace assay::check
