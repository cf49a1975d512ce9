// SPDX-License-Identifier: MIT
#include "measure/fresh_look.hpp"

#include <algorithm>

#include "stats/mann_whitney.hpp"
#include "stats/quantile.hpp"

namespace assay::measure {
namespace {

// A first look at new inputs may cost a little (pages, caches); a memory of old results saves nearly everything.
constexpr double kFreshFactor = 1.5;
constexpr double kFreshSlack_us = 2;
// Of ranks, over all looks: a contender that is slow with known contents one time in three, so as to look noisy, is
// still distinguished from a noisy one.
constexpr double kFreshLevel = 0.001;

double median_or(const std::vector<double>& values, double otherwise) {
  return values.empty() ? otherwise : stats::median_of(values);
}

// Processes differ in speed: each look is measured by its own known contents.
bool ranks_higher(std::span<const FreshLook> looks, std::vector<double> FreshLook::* kind) {
  std::vector<double> fresh;
  std::vector<double> known;
  for (const FreshLook& look : looks) {
    for (const double us : look.fresh_us) fresh.push_back(us / look.seen());
    for (const double us : look.*kind) known.push_back(us / look.seen());
  }
  const auto first = stats::Sample::make(std::move(fresh));
  const auto second = stats::Sample::make(std::move(known));
  return first && second && stats::mann_whitney(*first, *second, stats::Alternative::greater).p < kFreshLevel;
}

}  // namespace

double FreshLook::fresh() const {
  return median_or(fresh_us, 0);
}

double FreshLook::seen() const {
  const double beside = median_or(beside_us, fresh());
  return std::min(median_or(before_us, beside), beside);
}

bool FreshLook::is_slow() const {
  return fresh() > kFreshFactor * seen() + kFreshSlack_us;
}

bool remembers_results(std::span<const FreshLook> looks) {
  return !looks.empty() && std::ranges::all_of(looks, &FreshLook::is_slow) &&
         (ranks_higher(looks, &FreshLook::before_us) || ranks_higher(looks, &FreshLook::beside_us));
}

}  // namespace assay::measure
