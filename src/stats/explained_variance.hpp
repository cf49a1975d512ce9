// SPDX-License-Identifier: MIT
// How much of what varies is known once a value's group is known.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace assay::stats {

// 1 - (variance within groups) / (variance of all), both unbiased, so that groups of chance explain nothing on average
// however many there are; at least 0. `groups` has one number for each value. Empty: without two different values, or
// where no group has two of them.
std::optional<double> explained_variance(std::span<const double> values, std::span<const size_t> groups);

}  // namespace assay::stats
