// SPDX-License-Identifier: MIT
#include "stats/ratio_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "stats/distribution.hpp"
#include "stats/trimmed_mean.hpp"

namespace assay::stats {
namespace {

// P(T > (estimate - hypothesis) / error): small if the estimate lies clearly above the hypothesis.
double p_above(const RatioEstimate& estimate, double hypothesis) {
  if (!estimate.usable()) return 1;
  const double distance = estimate.log_ratio - estimate.hidden - hypothesis;
  if (estimate.standard_error == 0) return distance > 0 ? 0.0 : 1.0;
  return student_above(distance / estimate.standard_error, estimate.degrees);
}

double p_below(const RatioEstimate& estimate, double hypothesis) {
  RatioEstimate mirrored = estimate;
  mirrored.log_ratio = -estimate.log_ratio;
  return p_above(mirrored, -hypothesis);
}

// Welch and Satterthwaite. The spread of a side's level is given, not estimated, so it adds no uncertainty of its own.
void add_noise(RatioEstimate& estimate, std::initializer_list<TrimmedMean> parts, double spread) {
  double variance = 2.0 * spread * spread;
  double uncertainty = 0;
  for (const TrimmedMean& part : parts) {
    const double own = part.standard_error * part.standard_error;
    variance += own;
    uncertainty += own * own / part.degrees;
  }
  estimate.standard_error = std::sqrt(variance);
  estimate.degrees =
      uncertainty > 0 ? std::max(1.0, variance * variance / uncertainty) : std::numeric_limits<double>::infinity();
}

}  // namespace

double RatioEstimate::ratio() const {
  return std::exp(log_ratio);
}

Interval RatioEstimate::interval(double confidence) const {
  const Interval noise = noise_interval(confidence);
  return {noise.low * std::exp(-hidden), noise.high * std::exp(hidden)};
}

Interval RatioEstimate::noise_interval(double confidence) const {
  if (!usable()) return {0, std::numeric_limits<double>::infinity()};
  const double reach = student_quantile(0.5 + confidence / 2.0, degrees) * standard_error;
  return {std::exp(log_ratio - reach), std::exp(log_ratio + reach)};
}

double RatioEstimate::p_slower() const {
  return p_above(*this, 0);
}

double RatioEstimate::p_faster() const {
  return p_below(*this, 0);
}

double RatioEstimate::p_different() const {
  return std::min(1.0, 2.0 * std::min(p_slower(), p_faster()));
}

double RatioEstimate::p_outside(double margin) const {
  const double edge = std::log1p(margin);
  return std::max(p_below(*this, edge), p_above(*this, -edge));
}

RatioEstimate paired_ratio(std::span<const double> log_ratios, double expected_deviation) {
  const auto count = static_cast<double>(log_ratios.size());
  RatioEstimate estimate{.units = log_ratios.size()};
  for (const double each : log_ratios) estimate.log_ratio += each / count;
  if (log_ratios.size() < 2) return estimate;
  double squares = 0;
  for (const double each : log_ratios) squares += (each - estimate.log_ratio) * (each - estimate.log_ratio);
  const double seen = squares / (count - 1);
  const double expected = expected_deviation * expected_deviation;
  const double moderated = (kExpectedUnits * expected + squares) / (kExpectedUnits + count - 1);
  estimate.standard_error = std::sqrt(std::max(seen, moderated) / count);
  estimate.degrees = count - 1;
  return estimate;
}

RatioEstimate trimmed_ratio(std::span<const double> log_ratios, double process_spread) {
  const TrimmedMean location = trimmed_mean(log_ratios, kBatchTrim);
  RatioEstimate estimate{.log_ratio = location.mean, .units = log_ratios.size()};
  if (location.degrees >= 1) add_noise(estimate, {location}, process_spread);
  return estimate;
}

RatioEstimate unpaired_ratio(std::span<const double> numerator_logs, std::span<const double> denominator_logs,
                             double run_spread) {
  const TrimmedMean top = trimmed_mean(numerator_logs, kBatchTrim);
  const TrimmedMean bottom = trimmed_mean(denominator_logs, kBatchTrim);
  RatioEstimate estimate{.log_ratio = top.mean - bottom.mean,
                         .units = std::min(numerator_logs.size(), denominator_logs.size())};
  if (top.degrees >= 1 && bottom.degrees >= 1) add_noise(estimate, {top, bottom}, run_spread);
  return estimate;
}

}  // namespace assay::stats
