// SPDX-License-Identifier: MIT
#include "judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "judge/units.hpp"
#include "judge/verdict_rule.hpp"
#include "stats/bootstrap.hpp"
#include "stats/cliff_delta.hpp"
#include "stats/distribution.hpp"
#include "stats/hodges_lehmann.hpp"
#include "stats/independence.hpp"
#include "stats/mann_whitney.hpp"
#include "stats/power.hpp"
#include "stats/ratio_estimate.hpp"
#include "stats/trimmed_mean.hpp"

namespace assay::judge {
namespace {

using stats::RatioEstimate;
using stats::Sample;

Result<void> validate(const CompareOptions& options) {
  const auto fraction = [](double value) { return value > 0 && value < 1; };
  if (!fraction(options.margin)) return Error{.message = fmt::format("margin {}: expected 0 to 1", options.margin)};
  if (!(options.minimum_effect >= 0 && options.minimum_effect < 1)) {
    return Error{.message = fmt::format("minimum effect {}: expected 0 to 1", options.minimum_effect)};
  }
  if (!fraction(options.alpha)) return Error{.message = fmt::format("alpha {}: expected 0 to 1", options.alpha)};
  if (!fraction(options.power)) return Error{.message = fmt::format("power {}: expected 0 to 1", options.power)};
  if (!(options.max_throttled >= 0 && options.max_throttled <= 1)) {
    return Error{.message = fmt::format("throttled fraction {}: expected 0 to 1", options.max_throttled)};
  }
  if (!(options.run_spread >= 0 && options.run_spread < 1)) {
    return Error{.message = fmt::format("spread of runs {}: expected 0 to 1", options.run_spread)};
  }
  if (!(options.process_spread_us >= 0 && std::isfinite(options.process_spread_us))) {
    return Error{.message = fmt::format("spread of processes {} us: expected 0 or more", options.process_spread_us)};
  }
  if (options.resamples < 1 || options.resamples > 10'000'000) {
    return Error{.message = fmt::format("{} resamples: expected 1 to 10000000", options.resamples)};
  }
  return {};
}

std::vector<double> log_levels(const Blocks& units, bool in_cycles) {
  std::vector<double> logs;
  logs.reserve(units.size());
  for (const Block& unit : units) {
    logs.push_back(std::log(stats::midmean(unit.microseconds)) + (in_cycles ? std::log(*unit.clock_mhz) : 0.0));
  }
  return logs;
}

std::vector<double> differences(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> result(first.size());
  for (size_t i = 0; i < first.size(); ++i) result[i] = first[i] - second[i];
  return result;
}

// Relative to a side's time. What differs from process to process is a part of a microsecond, however long the kernel.
double process_spread(const Units& units, const CompareOptions& options) {
  double squares = 0;
  for (const Blocks* side : {&units.candidate, &units.baseline}) {
    const double relative = options.process_spread_us / stats::midmean(pooled(*side));
    squares += relative * relative / 2;
  }
  return std::sqrt(squares);
}

RatioEstimate estimate(const Units& units, const CompareOptions& options, bool in_cycles) {
  const std::vector<double> candidate = log_levels(units.candidate, in_cycles);
  const std::vector<double> baseline = log_levels(units.baseline, in_cycles);
  if (units.paired) return stats::paired_ratio(differences(candidate, baseline), process_spread(units, options));
  return stats::unpaired_ratio(candidate, baseline, options.run_spread);
}

// Every pair of units divided by its own level: what both sides share at that moment is gone, their ratio is not.
void level(Units& units) {
  if (!units.paired) return;
  for (size_t i = 0; i < units.candidate.size(); ++i) {
    auto& candidate = units.candidate[i].microseconds;
    auto& baseline = units.baseline[i].microseconds;
    const double common = std::sqrt(stats::midmean(candidate)) * std::sqrt(stats::midmean(baseline));
    for (double& time : candidate) time /= common;
    for (double& time : baseline) time /= common;
  }
}

Side summarize_side(const Blocks& all, const Sample& sample, const stats::BootstrapOptions& options) {
  return {stats::summarize(sample), stats::median_interval(sample, options).interval, throttled_fraction(all),
          all.size(), mean_clock(all)};
}

bool dependent(const std::vector<double>& series, double alpha) {
  return stats::runs_test(series).p < alpha || stats::ljung_box(series, stats::default_lags(series.size())).p < alpha;
}

// Warns where a statistic assumes independence that the samples lack. `units` are levelled: drift between blocks harms
// nothing.
void warn_of_samples(const Units& units, Comparison& comparison) {
  for (const auto& [blocks, name] : {std::pair{&units.candidate, "candidate"}, {&units.baseline, "baseline"}}) {
    if (!dependent(pooled(*blocks), comparison.options.alpha)) continue;
    comparison.warnings.push_back(
        fmt::format("the {}'s samples are not independent: the Mann-Whitney p and the intervals of single samples are "
                    "too optimistic (the verdict rests on blocks)",
                    name));
  }
}

void warn_of_units(const Units& units, Comparison& comparison) {
  if (units.paired && dependent(differences(log_levels(units.candidate, false), log_levels(units.baseline, false)),
                                comparison.options.alpha)) {
    comparison.warnings.emplace_back("the ratios of neighbouring blocks are not independent: longer blocks would help");
  }
}

void warn_of_throttling(Comparison& comparison) {
  const double candidate = comparison.candidate.throttled_fraction;
  const double baseline = comparison.baseline.throttled_fraction;
  if (std::abs(candidate - baseline) <= 0.1) return;
  comparison.warnings.push_back(
      fmt::format("the sides were throttled unequally: {:.0f} % of the candidate's samples, {:.0f} % of the baseline's",
                  candidate * 100.0, baseline * 100.0));
}

// From single samples: effect sizes and the tests that people expect to see.
Result<void> add_sample_evidence(const Blocks& candidate, const Blocks& baseline, Units units, Comparison& comparison) {
  const CompareOptions& options = comparison.options;
  const stats::BootstrapOptions bootstrap{options.resamples, 1.0 - options.alpha, options.seed};
  ASSAY_TRY(const Sample candidate_times, Sample::make(pooled(units.candidate), "the candidate's times"));
  ASSAY_TRY(const Sample baseline_times, Sample::make(pooled(units.baseline), "the baseline's times"));
  comparison.candidate = summarize_side(candidate, candidate_times, bootstrap);
  comparison.baseline = summarize_side(baseline, baseline_times, bootstrap);
  const stats::Bootstrap ratio = stats::median_ratio_interval(candidate_times, baseline_times, bootstrap);
  comparison.median_ratio = ratio.estimate;
  comparison.median_ratio_interval = ratio.interval;

  level(units);
  warn_of_samples(units, comparison);
  ASSAY_TRY(const Sample first, Sample::make(pooled(units.candidate), "the candidate's times"));
  ASSAY_TRY(const Sample second, Sample::make(pooled(units.baseline), "the baseline's times"));
  comparison.mann_whitney_p = stats::mann_whitney(first, second).p;
  comparison.cliff_delta = stats::cliff_delta(first, second);
  const stats::HodgesLehmann shift = stats::hodges_lehmann_ratio(first, second, 1.0 - options.alpha);
  comparison.hodges_lehmann = shift.shift;
  comparison.hodges_lehmann_interval = shift.interval;
  return {};
}

// A difference is found if it is significant and no smaller than the smallest effect of interest; both count.
double detectable(const RatioEstimate& time, const CompareOptions& options) {
  if (!time.usable()) return std::numeric_limits<double>::infinity();
  const double significant =
      stats::minimum_detectable_effect(time.standard_error, time.degrees, options.alpha, options.power);
  const double chance = stats::student_quantile(options.power, time.degrees) * time.standard_error;
  return std::max(significant, std::expm1(std::log1p(options.minimum_effect) + chance));
}

}  // namespace

Result<Comparison> compare(const Blocks& candidate, const Blocks& baseline, const CompareOptions& options) {
  ASSAY_CHECK(validate(options));
  ASSAY_CHECK(validate(candidate, "the candidate"));
  ASSAY_CHECK(validate(baseline, "the baseline"));

  Evidence evidence{.candidate_throttled = throttled_fraction(candidate),
                    .baseline_throttled = throttled_fraction(baseline)};
  const double throttled = std::max(evidence.candidate_throttled, evidence.baseline_throttled);
  Units units = make_units(candidate, baseline, options.interleaved, throttled > options.max_throttled);
  if (units.candidate.empty() || units.baseline.empty()) {
    // No pair of blocks is complete: show what there is, without leaving anything out.
    units = make_units(candidate, baseline, false, true);
  }
  evidence.time = estimate(units, options, false);
  if (mean_clock(units.candidate) && mean_clock(units.baseline)) evidence.cycles = estimate(units, options, true);

  Comparison comparison{.options = options};
  auto [verdict, reason] = decide(evidence, options);
  comparison.verdict = verdict;
  comparison.reason = std::move(reason);
  comparison.ratio = evidence.time.ratio();
  comparison.interval = evidence.time.interval(1.0 - options.alpha);
  comparison.p = evidence.time.p_different();
  comparison.equivalence_p = evidence.time.p_outside(options.margin);
  comparison.minimum_detectable_effect = detectable(evidence.time, options);
  comparison.units = evidence.time.units;
  if (evidence.cycles) {
    comparison.cycles = {evidence.cycles->ratio(), evidence.cycles->interval(1.0 - options.alpha),
                         cycles_confirm(evidence.time, *evidence.cycles, options)};
  }
  comparison.warnings = units.warnings;
  warn_of_units(units, comparison);
  ASSAY_CHECK(add_sample_evidence(candidate, baseline, std::move(units), comparison));
  warn_of_throttling(comparison);
  return comparison;
}

}  // namespace assay::judge
