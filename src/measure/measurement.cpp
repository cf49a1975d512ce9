// SPDX-License-Identifier: MIT
#include "measure/measurement.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stats/bootstrap.hpp"

namespace assay::measure {

judge::Block as_block(const SampleBlock& block, size_t lead_in) {
  const auto from = static_cast<ptrdiff_t>(std::min(lead_in, block.us.size()));
  judge::Block entry{
      {block.us.begin() + from, block.us.end()}, {block.throttled.begin() + from, block.throttled.end()}, {}};
  double clock = 0;
  for (const double mhz : block.clock_mhz) clock += mhz / static_cast<double>(block.clock_mhz.size());
  if (clock > 0) entry.clock_mhz = clock;
  return entry;
}

bool narrow_enough(const judge::Blocks& blocks, double width) {
  const auto sample = stats::Sample::make(judge::pooled(blocks));
  if (!sample) return false;
  stats::BootstrapOptions bootstrap;
  bootstrap.resamples = 500;
  const stats::Bootstrap median = stats::median_interval(*sample, bootstrap);
  return median.interval.width() <= width * median.estimate;
}

std::string ContenderResult::objection() const {
  if (failure) return failure->message;
  if (const Guard* guard = guards.first_failure()) return fmt::format("{}: {}", guard->name, guard->detail);
  return timed() ? "" : "it was not timed";
}

}  // namespace assay::measure
