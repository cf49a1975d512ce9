// SPDX-License-Identifier: MIT
// Several launches of one call, one after the other on a stream: each is estimated for itself, and their times add up.
#pragma once

#include <span>
#include <vector>

#include "estimate/estimate.hpp"

namespace assay::estimate {

// What an estimate is reckoned with; its lower bound may take better rates than the time does.
struct RatesInUse {
  const gpu::Rates& time;
  const gpu::Rates& bound;
};

Estimate estimate(const gpu::LaunchWork& work, int blocks_per_sm, const gpu::GpuModel& model, const RatesInUse& rates);

struct SequencedLaunch {
  const gpu::LaunchWork* work = nullptr;
  int blocks_per_sm = 1;  // that fit
};

struct Sequence {
  std::vector<Estimate> parts;  // of each launch
  Estimate total;               // sums; what cannot be added is that of the longest part
};

// What an earlier launch has read or written lies in the L2, as far as it fits.
Sequence estimate_sequence(std::span<const SequencedLaunch> launches, const gpu::GpuModel& model,
                           const RatesInUse& rates);

}  // namespace assay::estimate
