// SPDX-License-Identifier: MIT
#include "judge/batch.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace assay::judge {

Result<void> validate(const Batches& batches, std::string_view name) {
  if (sample_count(batches) == 0) return Error{.message = fmt::format("{}: there are no samples", name)};
  for (size_t b = 0; b < batches.size(); ++b) {
    const Batch& batch = batches[b];
    for (size_t i = 0; i < batch.microseconds.size(); ++i) {
      const double time = batch.microseconds[i];
      if (std::isfinite(time) && time > 0) continue;
      return Error{.message = fmt::format("{}: sample {} of batch {} took {} us", name, i + 1, b + 1, time),
                   .hint = "A time is above 0. The timer, or whoever wrote these samples, is wrong."};
    }
    if (!batch.throttled.empty() && batch.throttled.size() != batch.microseconds.size()) {
      return Error{.message = fmt::format("{}: batch {} has {} samples but {} throttle marks", name, b + 1,
                                          batch.microseconds.size(), batch.throttled.size())};
    }
    if (batch.clock_mhz && !(std::isfinite(*batch.clock_mhz) && *batch.clock_mhz > 0)) {
      return Error{.message = fmt::format("{}: the clock of batch {} is {} MHz", name, b + 1, *batch.clock_mhz)};
    }
  }
  return {};
}

size_t sample_count(const Batches& batches) {
  size_t count = 0;
  for (const Batch& batch : batches) count += batch.microseconds.size();
  return count;
}

size_t process_count(const Batches& batches) {
  std::set<size_t> processes;
  for (const Batch& batch : batches) processes.insert(batch.process);
  return processes.size();
}

double throttled_fraction(const Batches& batches) {
  size_t throttled = 0;
  for (const Batch& batch : batches) {
    throttled += static_cast<size_t>(std::count(batch.throttled.begin(), batch.throttled.end(), true));
  }
  const size_t count = sample_count(batches);
  return count == 0 ? 0 : static_cast<double>(throttled) / static_cast<double>(count);
}

std::vector<double> pooled(const Batches& batches) {
  std::vector<double> times;
  times.reserve(sample_count(batches));
  for (const Batch& batch : batches) times.insert(times.end(), batch.microseconds.begin(), batch.microseconds.end());
  return times;
}

std::optional<double> mean_clock(const Batches& batches) {
  double sum = 0;
  for (const Batch& batch : batches) {
    if (!batch.clock_mhz) return std::nullopt;
    sum += *batch.clock_mhz;
  }
  if (batches.empty()) return std::nullopt;
  return sum / static_cast<double>(batches.size());
}

}  // namespace assay::judge
