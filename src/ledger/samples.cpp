// SPDX-License-Identifier: MIT
#include "ledger/samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace assay::ledger {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays of a ledger are little-endian");

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::optional<std::vector<T>> values_of(std::string_view bytes) {
  if (bytes.size() % sizeof(T) != 0) return std::nullopt;
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

bool all_sensible(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value) && value >= 0; });
}

// Linear interpolation between order statistics, so that the middle of two is their mean.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

std::string_view to_string(Role role) {
  return role == Role::candidate ? "candidate" : "baseline";
}

std::optional<Role> role_from_name(std::string_view name) {
  if (name == "candidate") return Role::candidate;
  if (name == "baseline") return Role::baseline;
  return std::nullopt;
}

Result<void> validate(const Samples& samples) {
  const size_t count = samples.times_us.size();
  const auto wrong = [&](const char* what) {
    return Error{fmt::format("the samples of '{}' at '{}' {}", samples.contender, samples.shape, what)};
  };
  if (count == 0) return wrong("are none");
  if (count > kMaxSamples) return wrong("are more than ten million");
  if (!samples.clocks_mhz.empty() && samples.clocks_mhz.size() != count) return wrong("have not a clock each");
  if (!samples.throttle.empty() && samples.throttle.size() != count) return wrong("have not a throttle mask each");
  if (!all_sensible(samples.times_us)) return wrong("hold a time that is negative or not a number");
  if (!all_sensible(samples.clocks_mhz)) return wrong("hold a clock that is negative or not a number");
  if (samples.p50_us && !all_sensible({*samples.p50_us})) return wrong("have a p50 that is negative or not a number");
  return {};
}

SamplesSummary summarize(const Samples& samples) {
  std::vector<double> sorted = samples.times_us;
  std::sort(sorted.begin(), sorted.end());
  SamplesSummary summary;
  summary.count = sorted.size();
  if (sorted.empty()) return summary;
  summary.throttled = static_cast<size_t>(
      std::count_if(samples.throttle.begin(), samples.throttle.end(), [](uint32_t reasons) { return reasons != 0; }));
  summary.min_us = sorted.front();
  summary.p50_us = quantile(sorted, 0.5);
  summary.p90_us = quantile(sorted, 0.9);
  summary.p99_us = quantile(sorted, 0.99);
  summary.max_us = sorted.back();
  summary.mean_us = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  return summary;
}

std::string encode(const std::vector<double>& values) {
  return bytes_of(values);
}

std::string encode(const std::vector<uint32_t>& values) {
  return bytes_of(values);
}

std::optional<std::vector<double>> decode_doubles(std::string_view bytes) {
  return values_of<double>(bytes);
}

std::optional<std::vector<uint32_t>> decode_words(std::string_view bytes) {
  return values_of<uint32_t>(bytes);
}

}  // namespace assay::ledger
