// SPDX-License-Identifier: MIT
#include "measure/measurement.hpp"

#include <fmt/format.h>

namespace assay::measure {

judge::Block as_block(const SampleBlock& block) {
  judge::Block entry{block.us, block.throttled, {}};
  double clock = 0;
  for (const double mhz : block.clock_mhz) clock += mhz / static_cast<double>(block.clock_mhz.size());
  if (clock > 0) entry.clock_mhz = clock;
  return entry;
}

std::string ContenderResult::objection() const {
  if (failure) return failure->message;
  if (const Guard* guard = guards.first_failure()) return fmt::format("{}: {}", guard->name, guard->detail);
  return timed() ? "" : "it was not timed";
}

}  // namespace assay::measure
