// SPDX-License-Identifier: MIT
#include "measure/measurement.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stats/bootstrap.hpp"

namespace assay::measure {
namespace {

// Whether the 95 % interval of the median is no wider than this fraction of it.
bool narrow_enough(const judge::Blocks& blocks, double width) {
  const auto sample = stats::Sample::make(judge::pooled(blocks));
  if (!sample) return false;
  stats::BootstrapOptions bootstrap;
  bootstrap.resamples = 500;
  const stats::Bootstrap median = stats::median_interval(*sample, bootstrap);
  return median.interval.width() <= width * median.estimate;
}

}  // namespace

judge::Block as_block(const SampleBlock& block, size_t lead_in) {
  const auto from = static_cast<ptrdiff_t>(std::min(lead_in, block.us.size()));
  judge::Block entry{
      {block.us.begin() + from, block.us.end()}, {block.throttled.begin() + from, block.throttled.end()}, {}};
  double clock = 0;
  for (const double mhz : block.clock_mhz) clock += mhz / static_cast<double>(block.clock_mhz.size());
  if (clock > 0) entry.clock_mhz = clock;
  return entry;
}

std::optional<std::string> reason_to_stop(const Sampling& sampling, size_t samples, double seconds,
                                          const std::vector<const judge::Blocks*>& all) {
  if (samples >= sampling.maximum) return "the most samples that were asked for";
  if (samples < sampling.minimum) return std::nullopt;
  if (seconds > sampling.budget_s) return "the time budget";
  // Looking after every round would stop at lucky moments.
  if (samples % sampling.minimum != 0) return std::nullopt;
  const auto narrow = [&](const judge::Blocks* blocks) { return narrow_enough(*blocks, sampling.width); };
  if (!std::all_of(all.begin(), all.end(), narrow)) return std::nullopt;
  return "the medians are known well enough";
}

std::string ContenderResult::objection() const {
  if (failure) return failure->message;
  if (const Guard* guard = guards.first_failure()) return fmt::format("{}: {}", guard->name, guard->detail);
  return timed() ? "" : "it was not timed";
}

}  // namespace assay::measure
