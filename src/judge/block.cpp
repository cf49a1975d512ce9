// SPDX-License-Identifier: MIT
#include "judge/block.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::judge {

Result<void> validate(const Blocks& blocks, std::string_view name) {
  if (sample_count(blocks) == 0) return Error{.message = fmt::format("{}: there are no samples", name)};
  for (size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    for (size_t i = 0; i < block.microseconds.size(); ++i) {
      const double time = block.microseconds[i];
      if (std::isfinite(time) && time > 0) continue;
      return Error{.message = fmt::format("{}: sample {} of block {} took {} us", name, i + 1, b + 1, time),
                   .hint = "A time is above 0. The timer, or whoever wrote these samples, is wrong."};
    }
    if (!block.throttled.empty() && block.throttled.size() != block.microseconds.size()) {
      return Error{.message = fmt::format("{}: block {} has {} samples but {} throttle marks", name, b + 1,
                                          block.microseconds.size(), block.throttled.size())};
    }
    if (block.clock_mhz && !(std::isfinite(*block.clock_mhz) && *block.clock_mhz > 0)) {
      return Error{.message = fmt::format("{}: the clock of block {} is {} MHz", name, b + 1, *block.clock_mhz)};
    }
  }
  return {};
}

size_t sample_count(const Blocks& blocks) {
  size_t count = 0;
  for (const Block& block : blocks) count += block.microseconds.size();
  return count;
}

double throttled_fraction(const Blocks& blocks) {
  size_t throttled = 0;
  for (const Block& block : blocks) {
    throttled += static_cast<size_t>(std::count(block.throttled.begin(), block.throttled.end(), true));
  }
  const size_t count = sample_count(blocks);
  return count == 0 ? 0 : static_cast<double>(throttled) / static_cast<double>(count);
}

std::vector<double> pooled(const Blocks& blocks) {
  std::vector<double> times;
  times.reserve(sample_count(blocks));
  for (const Block& block : blocks) times.insert(times.end(), block.microseconds.begin(), block.microseconds.end());
  return times;
}

std::optional<double> mean_clock(const Blocks& blocks) {
  double sum = 0;
  for (const Block& block : blocks) {
    if (!block.clock_mhz) return std::nullopt;
    sum += *block.clock_mhz;
  }
  if (blocks.empty()) return std::nullopt;
  return sum / static_cast<double>(blocks.size());
}

}  // namespace assay::judge
