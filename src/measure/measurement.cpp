// SPDX-License-Identifier: MIT
#include "measure/measurement.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace assay::measure {
judge::Batch as_batch(const SampleBatch& batch, size_t lead_in, size_t process) {
  const auto from = static_cast<ptrdiff_t>(std::min(lead_in, batch.us.size()));
  judge::Batch entry{
      {batch.us.begin() + from, batch.us.end()}, {batch.throttled.begin() + from, batch.throttled.end()}, {}, process};
  double clock = 0;
  for (const double mhz : batch.clock_mhz) clock += mhz / static_cast<double>(batch.clock_mhz.size());
  if (clock > 0) entry.clock_mhz = clock;
  return entry;
}

std::optional<std::string> reason_to_stop(const Sampling& sampling, size_t processes, double seconds,
                                          const std::vector<const judge::Batches*>& all,
                                          const judge::CompareOptions& compare) {
  if (all.empty()) return "no contender was left";
  if (processes < sampling.plan.first) return std::nullopt;
  if (processes >= sampling.plan.most) return "the most processes that were asked for";
  if (seconds > sampling.budget_s) return "the time budget";
  const judge::Batches& first = *all.front();
  bool known = all.size() > 1 || judge::enough(sampling.plan, first, compare);
  for (size_t i = 1; i < all.size() && known; ++i) known = judge::enough(sampling.plan, first, *all[i], compare);
  if (!known) return std::nullopt;
  return "the ratios are known well enough";
}

std::string ContenderResult::objection() const {
  if (failure) return failure->message;
  if (const Guard* guard = guards.first_failure())
    return fmt::format("{}: {}", measure::name(guard->kind), guard->detail);
  return timed() ? "" : "it was not timed";
}

}  // namespace assay::measure
