// SPDX-License-Identifier: MIT
#include "judge/units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "stats/trimmed_mean.hpp"

namespace assay::judge {
namespace {

// What is left of a batch, or an empty batch if less than half of it is left.
Batch unthrottled(const Batch& batch) {
  if (batch.throttled.empty()) return batch;
  Batch kept{{}, {}, batch.clock_mhz, batch.process};
  kept.microseconds.reserve(batch.microseconds.size());
  for (size_t i = 0; i < batch.microseconds.size(); ++i) {
    if (!batch.throttled[i]) kept.microseconds.push_back(batch.microseconds[i]);
  }
  if (2 * kept.microseconds.size() < batch.microseconds.size()) kept.microseconds.clear();
  return kept;
}

Batches unthrottled(const Batches& batches) {
  Batches kept;
  kept.reserve(batches.size());
  for (const Batch& batch : batches) kept.push_back(unthrottled(batch));
  return kept;
}

void drop_empty(Batches& batches) {
  std::erase_if(batches, [](const Batch& batch) { return batch.microseconds.empty(); });
}

// Batch by batch of the same process: what lacks its partner, or is empty on a side, is excluded on both.
void keep_pairs(Batches& first, Batches& second) {
  std::map<size_t, std::vector<Batch*>> partners;
  for (Batch& batch : second) partners[batch.process].push_back(&batch);
  std::map<size_t, size_t> next;
  Batches kept_first;
  Batches kept_second;
  for (Batch& batch : first) {
    const auto found = partners.find(batch.process);
    const size_t index = next[batch.process]++;
    if (found == partners.end() || index >= found->second.size()) continue;
    Batch& partner = *found->second[index];
    if (batch.microseconds.empty() || partner.microseconds.empty()) continue;
    kept_first.push_back(std::move(batch));
    kept_second.push_back(std::move(partner));
  }
  first = std::move(kept_first);
  second = std::move(kept_second);
}

std::vector<Batches> by_process(const Batches& batches) {
  std::map<size_t, Batches> processes;
  for (const Batch& batch : batches) processes[batch.process].push_back(batch);
  std::vector<Batches> units;
  units.reserve(processes.size());
  for (auto& [process, own] : processes) units.push_back(std::move(own));
  return units;
}

// Neighbouring batches joined, as evenly as whole batches allow.
Batches join(const Batches& batches, size_t count) {
  Batches joined(count);
  for (size_t unit = 0; unit < count; ++unit) {
    const size_t first = unit * batches.size() / count;
    const size_t last = (unit + 1) * batches.size() / count;
    const Batches part(batches.begin() + static_cast<ptrdiff_t>(first), batches.begin() + static_cast<ptrdiff_t>(last));
    joined[unit] = {pooled(part), {}, mean_clock(part)};
  }
  return joined;
}

// All samples in a row, cut into `count` stretches of nearly the same length; fewer if there are too few samples.
Batches cut(const Batches& batches, size_t count) {
  const std::vector<double> times = pooled(batches);
  count = std::min(count, times.size());
  const auto clock = mean_clock(batches);
  Batches stretches(count);
  for (size_t i = 0; i < count; ++i) {
    const auto first = times.begin() + static_cast<ptrdiff_t>(i * times.size() / count);
    const auto last = times.begin() + static_cast<ptrdiff_t>((i + 1) * times.size() / count);
    stretches[i] = {std::vector<double>(first, last), {}, clock};
  }
  return stretches;
}

std::vector<Batches> stretches(const Batches& batches) {
  Batches fit = batches;
  if (batches.size() > kMaximumUnits) fit = join(batches, kJoinedUnits);
  if (batches.size() < kMinimumUnits) fit = cut(batches, kCutUnits);
  std::vector<Batches> units;
  units.reserve(fit.size());
  for (Batch& batch : fit) units.push_back({std::move(batch)});
  return units;
}

}  // namespace

Units make_units(const Batches& candidate, const Batches& baseline, bool interleaved, bool keep_throttled) {
  Units units;
  Batches first = keep_throttled ? candidate : unthrottled(candidate);
  Batches second = keep_throttled ? baseline : unthrottled(baseline);
  units.paired = interleaved;
  if (interleaved) {
    if (candidate.size() != baseline.size())
      units.warnings.push_back(
          fmt::format("{} batches of the candidate and {} of the baseline: only pairs are compared", candidate.size(),
                      baseline.size()));
    keep_pairs(first, second);
  } else {
    drop_empty(first);
    drop_empty(second);
    units.warnings.emplace_back(
        "candidate and baseline were measured in separate runs; measure them interleaved for a sharper verdict");
  }
  units.replicated = std::min(process_count(first), process_count(second)) >= kMinimumProcesses;
  if (units.replicated) {
    units.candidate = by_process(first);
    units.baseline = by_process(second);
    return units;
  }
  units.warnings.push_back(fmt::format(
      "fewer than {} processes a side: what differs from process to process does not show", kMinimumProcesses));
  if (interleaved && first.size() < kMinimumUnits) {
    units.paired = false;
    units.warnings.push_back(fmt::format(
        "only {} pairs of batches: drift during the run cannot be separated from a difference; take at least {}",
        first.size(), kMinimumUnits));
  }
  units.candidate = stretches(first);
  units.baseline = stretches(second);
  return units;
}

Batches joined(const std::vector<Batches>& units) {
  Batches result;
  result.reserve(units.size());
  for (const Batches& unit : units) result.push_back({pooled(unit), {}, mean_clock(unit), unit.front().process});
  return result;
}

double log_level(const Batches& unit, bool in_cycles) {
  double sum = 0;
  for (const Batch& batch : unit)
    sum += std::log(stats::midmean(batch.microseconds)) + (in_cycles ? std::log(*batch.clock_mhz) : 0.0);
  return sum / static_cast<double>(unit.size());
}

}  // namespace assay::judge
