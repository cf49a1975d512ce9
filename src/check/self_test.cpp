// SPDX-License-Identifier: MIT
#include "check/self_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "check/compare.hpp"
#include "check/element.hpp"

namespace assay::check {
namespace {

struct PerturbationName {
  Perturbation perturbation;
  std::string_view name;
};

constexpr std::array kNames = {
    PerturbationName{Perturbation::element, "one element"},
    PerturbationName{Perturbation::row, "one row"},
    PerturbationName{Perturbation::beyond_tolerance, "one ulp beyond tolerance"},
    PerturbationName{Perturbation::nan, "NaN"},
    PerturbationName{Perturbation::everything, "every element"},
};

// One output whose expected values are written as the kernel would write them, with a mistake, and read back.
class Subject {
 public:
  Subject(const std::string& name, const spec::ResolvedTensor& tensor, const reference::NumbersView& expected,
          const spec::Tolerance& tolerance)
      : name_(name), tensor_(tensor), numbers_(expected), expected_(expected.values), tolerance_(tolerance) {
    reference::Numbers written({expected_.begin(), expected_.end()}, {expected.words.begin(), expected.words.end()});
    for (double& value : written.values) value = std::isnan(value) ? 0.0 : value;
    right_ = rounded(tensor.dtype, std::move(written));
    row_ = tensor.dims.empty() ? 1 : static_cast<size_t>(std::max<int64_t>(1, tensor.dims.back()));
  }

  // The finite element of the largest magnitude; else one that is infinite, else the first: nothing is defined then,
  // and whatever is planted there passes. Nothing if there are no elements.
  std::optional<size_t> largest_element() const {
    std::optional<size_t> found;
    for (size_t i = 0; i < expected_.size(); ++i) {
      if (!std::isfinite(expected_[i]) || std::abs(expected_[i]) > largest(tensor_.dtype)) continue;
      if (!found || std::abs(expected_[i]) > std::abs(expected_[*found])) found = i;
    }
    if (found || expected_.empty()) return found;
    const auto defined = std::ranges::find_if_not(expected_, [](double value) { return std::isnan(value); });
    return defined != expected_.end() ? static_cast<size_t>(defined - expected_.begin()) : 0;
  }

  reference::Numbers with(size_t at, double value) const {
    reference::Numbers wrong = right_;
    wrong.values[at] = value;
    if (!wrong.words.empty()) wrong.words[at] = reference::word_of(value, integers_of(tensor_.dtype));
    return wrong;
  }

  PerturbationTrial plant(Perturbation perturbation, size_t at, double value) const {
    return judged(perturbation, at, with(at, value));
  }

  // The first number of the type that the tolerance does not allow at this element.
  PerturbationTrial plant_beyond_tolerance(size_t at) const {
    if (right_.words.empty()) return plant(Perturbation::beyond_tolerance, at, beyond_tolerance(at));
    reference::Numbers wrong = right_;
    wrong.words[at] = word_beyond_tolerance(at);
    wrong.values[at] = static_cast<double>(reference::integer_of(wrong.words[at], integers_of(tensor_.dtype)));
    return judged(Perturbation::beyond_tolerance, at, wrong);
  }

  // Of all neighbours, the two rows that differ most; a single row is shifted by one element. Nothing if they are
  // equal.
  std::optional<PerturbationTrial> exchange_rows() const {
    const size_t step = expected_.size() >= 2 * row_ ? row_ : 1;
    size_t from = 0;
    double most = 0;
    const std::vector<double>& right = right_.values;
    for (size_t i = 0; i + step < right.size(); ++i) {
      const double apart = std::abs(right[i] - right[i + step]);
      if (std::isnan(expected_[i]) || !(apart > most)) continue;
      most = apart;
      from = i;
    }
    if (most == 0) return std::nullopt;
    const size_t begin = from / row_ * row_;
    const size_t end = std::min(begin + row_, right.size() - step);
    reference::Numbers wrong = right_;
    for (size_t i = begin; i < end; ++i) {
      wrong.values[i] = right[i + step];
      if (!wrong.words.empty()) wrong.words[i] = right_.words[i + step];
    }
    return judged(Perturbation::row, from, wrong);
  }

  // The first number of the type beyond what is allowed, away from zero or towards it where the type ends.
  double beyond_tolerance(size_t at) const {
    const double expected = expected_[at];
    double planted = right_.values[at];
    for (const double sign : {std::signbit(expected) ? -1.0 : 1.0, std::signbit(expected) ? 1.0 : -1.0}) {
      planted = round_to(tensor_.dtype, expected + sign * allowed(at));
      for (int step = 0; step < 4 && std::isfinite(planted) && std::abs(planted - expected) <= allowed(at); ++step)
        planted = round_to(tensor_.dtype, planted + sign * ulp(tensor_.dtype, planted));
      if (std::isfinite(planted) && std::abs(planted - expected) > allowed(at)) break;
    }
    return planted;
  }

 private:
  uint64_t word_beyond_tolerance(size_t at) const {
    const reference::Integers integers = integers_of(tensor_.dtype);
    const reference::Int128 right = reference::integer_of(right_.words[at], integers);
    const auto step = static_cast<reference::Int128>(std::floor(std::min(allowed(at), 0x1p65))) + 1;
    const uint64_t above = reference::word_of(right + step, integers);
    return reference::integer_of(above, integers) == right + step ? above : reference::word_of(right - step, integers);
  }

  double allowed(size_t at) const {
    const double tolerated = tolerance_.atol + tolerance_.rtol * std::abs(expected_[at]);
    const double rounding = std::abs(right_.values[at] - expected_[at]);
    return std::isfinite(rounding) ? std::max(tolerated, rounding) : tolerated;
  }

  PerturbationTrial judged(Perturbation perturbation, size_t at, const reference::Numbers& wrong) const {
    std::vector<uint8_t> bytes(static_cast<size_t>(tensor_.bytes));
    encode(tensor_, wrong, bytes);
    const reference::Numbers read = decode(tensor_, bytes);
    PerturbationTrial trial{perturbation,  name_,           index_of(tensor_.dims, static_cast<int64_t>(at)),
                            expected_[at], read.values[at], allowed(at)};
    trial.caught = !compare(tensor_, numbers_, read, tolerance_).passed();
    return trial;
  }

  const std::string& name_;
  const spec::ResolvedTensor& tensor_;
  reference::NumbersView numbers_;
  std::span<const double> expected_;
  const spec::Tolerance& tolerance_;
  reference::Numbers right_;
  size_t row_;
};

}  // namespace

std::string_view name(Perturbation perturbation) {
  for (const PerturbationName& entry : kNames) {
    if (entry.perturbation == perturbation) return entry.name;
  }
  return "unknown";
}

std::optional<Perturbation> perturbation_from_name(std::string_view text) {
  for (const PerturbationName& entry : kNames) {
    if (entry.name == text) return entry.perturbation;
  }
  return std::nullopt;
}

const PerturbationTrial* SelfTest::missed() const {
  const auto caught = [](const PerturbationTrial& trial) { return trial.caught; };
  if (by_function && std::ranges::any_of(trials, caught)) return nullptr;
  const auto found = std::ranges::find_if_not(trials, caught);
  return found != trials.end() ? &*found : nullptr;
}

std::vector<PerturbationTrial> try_perturbations(const std::string& name, const spec::ResolvedTensor& tensor,
                                                 const reference::NumbersView& numbers,
                                                 const spec::Tolerance& tolerance) {
  const std::span<const double> expected = numbers.values;
  const Subject subject(name, tensor, numbers, tolerance);
  const std::optional<size_t> at = subject.largest_element();
  if (!at) return {};
  std::vector<PerturbationTrial> trials;
  trials.push_back(subject.plant(Perturbation::element, *at, expected[*at] != 0 ? 0.0 : 1.0));
  if (!std::isfinite(expected[*at])) return trials;
  if (auto row = subject.exchange_rows()) trials.push_back(std::move(*row));
  trials.push_back(subject.plant_beyond_tolerance(*at));
  if (spec::is_floating(tensor.dtype))
    trials.push_back(subject.plant(Perturbation::nan, *at, std::numeric_limits<double>::quiet_NaN()));
  return trials;
}

std::vector<WrongCopy> wrong_copies(const std::string& name, const spec::ResolvedTensor& tensor,
                                    const reference::NumbersView& numbers) {
  const spec::Tolerance exact{0, 0};
  std::vector<WrongCopy> copies;
  const std::span<const double> written = numbers.values;
  if (written.empty()) return copies;
  const Subject subject(name, tensor, numbers, exact);
  const size_t at = *subject.largest_element();
  const auto add = [&](Perturbation perturbation, double planted) {
    WrongCopy copy{{perturbation, name, index_of(tensor.dims, static_cast<int64_t>(at)), written[at], planted},
                   subject.with(at, planted)};
    copies.push_back(std::move(copy));
  };
  add(Perturbation::element, written[at] != 0 ? 0.0 : 1.0);
  if (spec::is_floating(tensor.dtype)) add(Perturbation::nan, std::numeric_limits<double>::quiet_NaN());
  return copies;
}

std::vector<double> rubbish(const spec::ResolvedTensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.elements));
  for (size_t i = 0; i < values.size(); ++i) {
    constexpr size_t kStride = 7919;  // neighbours are neither in order nor equal
    constexpr size_t kValues = 9973;
    const double magnitude = static_cast<double>(i * kStride % kValues) + 0.25;
    values[i] = round_to(tensor.dtype, i % 2 == 0 ? -magnitude : magnitude);
  }
  return values;
}

bool same_results(const reference::Outputs& one, const reference::Outputs& other) {
  return one.size() == other.size() && std::all_of(one.begin(), one.end(), [&](const auto& output) {
           const auto found = other.find(output.first);
           return found != other.end() && output.second.words == found->second.words &&
                  std::equal(output.second.values.begin(), output.second.values.end(), found->second.values.begin(),
                             found->second.values.end(),
                             [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
         });
}

std::string suspicion_of(const reference::Tensor& output) {
  const std::vector<double>& values = output.values;
  if (values.size() < 2) return "";
  const std::vector<uint64_t>& words = output.words;
  const bool equal = std::ranges::all_of(values, [&](double value) { return value == values.front(); }) &&
                     std::ranges::all_of(words, [&](uint64_t word) { return word == words.front(); });
  return equal ? fmt::format("{}: all {} values are {:.9g}", output.name, values.size(), values.front()) : "";
}

std::string describe(const PerturbationTrial& trial) {
  if (std::isnan(trial.expected))
    return fmt::format("{}[{}] = {:.9g} passes, as anything would: the reference has no result for any element of '{}'",
                       trial.tensor, fmt::join(trial.index, ", "), trial.planted, trial.tensor);
  return fmt::format("{}[{}] = {:.9g} passes where {:.9g} is expected: the tolerance allows {:.3g} there", trial.tensor,
                     fmt::join(trial.index, ", "), trial.planted, trial.expected, trial.allowed);
}

}  // namespace assay::check
