// SPDX-License-Identifier: MIT
#include "judge/timer_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/trimmed_mean.hpp"

namespace assay::judge {
namespace {

constexpr double kSameReading = 1e-6;  // readings pass through float32
constexpr size_t kLeastSamples = 6;    // of which two or more are the middle half; smaller batches are taken together

bool same_reading(double first, double second) {
  return std::abs(first - second) <= kSameReading * second;
}

bool one_reading(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::span<const double> middle = stats::middle_half(times);
  return same_reading(middle.front(), middle.back());
}

double smallest_difference(const Units& units) {
  std::vector<double> times = pooled(joined(units.candidate));
  const std::vector<double> others = pooled(joined(units.baseline));
  times.insert(times.end(), others.begin(), others.end());
  std::sort(times.begin(), times.end());
  double smallest = times.back();
  for (size_t i = 1; i < times.size(); ++i) {
    if (!same_reading(times[i - 1], times[i])) smallest = std::min(smallest, times[i] - times[i - 1]);
  }
  return smallest;
}

double share_of_one_reading(const std::vector<Batches>& units) {
  double same = 0;
  double count = 0;
  std::vector<double> times;
  const auto judge = [&] {
    same += one_reading(times) ? 1 : 0;
    count += 1;
    times.clear();
  };
  for (const Batches& unit : units) {
    for (const Batch& batch : unit) {
      times.insert(times.end(), batch.microseconds.begin(), batch.microseconds.end());
      if (times.size() >= kLeastSamples) judge();
    }
  }
  if (count == 0) judge();
  return same / count;
}

double hidden_of(const std::vector<Batches>& units, double tick_us) {
  const double half = share_of_one_reading(units) * tick_us / 2 / stats::midmean(pooled(joined(units)));
  return half < 1 ? -std::log1p(-half) : std::numeric_limits<double>::infinity();
}

}  // namespace

TimerTicks timer_ticks(const Units& units) {
  TimerTicks ticks{.tick_us = smallest_difference(units)};
  ticks.hidden = hidden_of(units.candidate, ticks.tick_us) + hidden_of(units.baseline, ticks.tick_us);
  return ticks;
}

}  // namespace assay::judge
