// SPDX-License-Identifier: MIT
// An interval for the ratio of two medians that holds whatever the distributions are.
//
// The interval of each median is between two order statistics, whose coverage is a binomial probability and needs
// nothing but independence; the ratio of the ends covers with the product of both at least. The bootstrap's interval of
// this ratio covers 90 to 92 % instead of 95 % where a distribution has two equal modes, since the median then jumps
// between them. This one is wider than it would have to be elsewhere.
#pragma once

#include "stats/interval.hpp"
#include "stats/sample.hpp"

namespace assay::stats {

// Of the median; from the lowest to the highest value where the sample is too small for the confidence.
Interval order_interval(const Sample& sample, double confidence);

// median(numerator) / median(denominator); both positive throughout.
Interval median_ratio_interval(const Sample& numerator, const Sample& denominator, double confidence);

}  // namespace assay::stats
