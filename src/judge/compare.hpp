// SPDX-License-Identifier: MIT
// Judges two kernels' times. The rule is in comparison.hpp.
#pragma once

#include "base/result.hpp"
#include "judge/batch.hpp"
#include "judge/comparison.hpp"
#include "stats/ratio_estimate.hpp"

namespace assay::judge {

// An error if samples are missing or impossible, or an option is out of range; never for lack of evidence.
Result<Comparison> compare(const Batches& candidate, const Batches& baseline, const CompareOptions& options = {});

// The estimate alone, of sides that were validated before; unusable if there is too little of a side. It is what the
// number of processes is chosen by (replication.hpp).
stats::RatioEstimate ratio_of(const Batches& candidate, const Batches& baseline, const CompareOptions& options);
// Its parts: the logarithm of the ratio of each pair of processes; empty where there are too few of them.
std::vector<double> process_ratios(const Batches& candidate, const Batches& baseline);
// The level of one side, relative to nothing: only its error means something.
stats::RatioEstimate level_of(const Batches& batches, const CompareOptions& options);

}  // namespace assay::judge
