// SPDX-License-Identifier: MIT
#include "judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "judge/timer_ticks.hpp"
#include "judge/units.hpp"
#include "judge/verdict_rule.hpp"
#include "stats/bootstrap.hpp"
#include "stats/cliff_delta.hpp"
#include "stats/distribution.hpp"
#include "stats/hodges_lehmann.hpp"
#include "stats/independence.hpp"
#include "stats/mann_whitney.hpp"
#include "stats/median_ratio.hpp"
#include "stats/power.hpp"
#include "stats/quantile.hpp"
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
  if (options.process_spread && !(options.process_spread->part >= 0 && options.process_spread->constant_us >= 0 &&
                                  std::isfinite(options.process_spread->of(1)))) {
    return Error{.message = fmt::format("spread of processes {} and {} us: expected 0 or more",
                                        options.process_spread->part, options.process_spread->constant_us)};
  }
  if (options.resamples > 10'000'000) {
    return Error{.message = fmt::format("{} resamples: expected 0 to 10000000", options.resamples)};
  }
  return {};
}

std::vector<double> log_levels(const std::vector<Batches>& units, bool in_cycles) {
  std::vector<double> logs;
  logs.reserve(units.size());
  for (const Batches& unit : units) logs.push_back(log_level(unit, in_cycles));
  return logs;
}

std::vector<double> differences(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> result(first.size());
  for (size_t i = 0; i < first.size(); ++i) result[i] = first[i] - second[i];
  return result;
}

// Relative deviation of the ratio of two processes; 0 where nothing is known.
double expected_deviation(const Units& units, const CompareOptions& options) {
  if (!options.process_spread) return 0;
  double squares = 0;
  for (const auto* side : {&units.candidate, &units.baseline}) {
    const double relative = options.process_spread->of(stats::midmean(pooled(joined(*side))));
    squares += relative * relative;
  }
  return std::sqrt(squares);
}

RatioEstimate estimate(const Units& units, const CompareOptions& options, bool in_cycles) {
  const std::vector<double> candidate = log_levels(units.candidate, in_cycles);
  const std::vector<double> baseline = log_levels(units.baseline, in_cycles);
  const double expected = expected_deviation(units, options);
  if (!units.paired) {
    const double processes = units.replicated ? 0 : expected / std::numbers::sqrt2;
    return stats::unpaired_ratio(candidate, baseline, std::hypot(options.run_spread, processes));
  }
  const std::vector<double> ratios = differences(candidate, baseline);
  return units.replicated ? stats::paired_ratio(ratios, expected)
                          : stats::trimmed_ratio(ratios, expected / std::numbers::sqrt2);
}

// Kalibera and Jones's two levels: how much the ratio varies within pairs of processes, and how much from pair to pair
// beyond what that explains.
void add_levels(const Units& units, Comparison& comparison) {
  if (!units.paired || !units.replicated) return;
  double within = 0;
  double within_degrees = 0;
  double share = 0;  // of the variance within, in a pair's mean
  std::vector<double> means;
  for (size_t unit = 0; unit < units.candidate.size(); ++unit) {
    std::vector<double> ratios;
    for (size_t i = 0; i < units.candidate[unit].size(); ++i)
      ratios.push_back(std::log(stats::midmean(units.candidate[unit][i].microseconds) /
                                stats::midmean(units.baseline[unit][i].microseconds)));
    const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
    for (const double each : ratios) within += (each - mean) * (each - mean);
    within_degrees += static_cast<double>(ratios.size()) - 1;
    share += 1.0 / static_cast<double>(ratios.size());
    means.push_back(mean);
  }
  if (within_degrees > 0) within /= within_degrees;
  const double pairs = static_cast<double>(means.size());
  const double center = std::accumulate(means.begin(), means.end(), 0.0) / pairs;
  double between = 0;
  for (const double each : means) between += (each - center) * (each - center);
  between = between / (pairs - 1) - within * share / pairs;
  comparison.between_processes = std::sqrt(std::max(0.0, between));
  comparison.between_batches = std::sqrt(within);
}

// Every pair of units divided by its own level: what both sides share at that moment is gone, their ratio is not.
void level(Batches& candidates, Batches& baselines) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto& candidate = candidates[i].microseconds;
    auto& baseline = baselines[i].microseconds;
    const double common = std::sqrt(stats::midmean(candidate)) * std::sqrt(stats::midmean(baseline));
    for (double& time : candidate) time /= common;
    for (double& time : baseline) time /= common;
  }
}

Side summarize_side(const Batches& all, const Sample& sample, const stats::BootstrapOptions& options) {
  return {stats::summarize(sample), stats::median_interval(sample, options).interval,
          throttled_fraction(all),  all.size(),
          process_count(all),       mean_clock(all)};
}

bool dependent(const std::vector<double>& series, double alpha) {
  return stats::runs_test(series).p < alpha || stats::ljung_box(series, stats::default_lags(series.size())).p < alpha;
}

// Warns where a statistic assumes independence that the samples lack.
void warn_of_samples(const Batches& candidate, const Batches& baseline, Comparison& comparison) {
  for (const auto& [batches, name] : {std::pair{&candidate, "candidate"}, {&baseline, "baseline"}}) {
    if (!dependent(pooled(*batches), comparison.options.alpha)) continue;
    comparison.warnings.push_back(
        fmt::format("the {}'s samples are not independent: the Mann-Whitney p and the intervals of single samples are "
                    "too optimistic (the verdict rests on processes)",
                    name));
  }
}

void warn_of_ticks(const TimerTicks& ticks, Comparison& comparison) {
  if (ticks.hidden < std::log1p(comparison.options.minimum_effect)) return;
  comparison.warnings.push_back(
      fmt::format("the timer ticks every {:.3g} us and samples agree: differences below {:.2g} % do not show, however "
                  "many there are; take a larger shape",
                  ticks.tick_us, std::expm1(ticks.hidden) * 100.0));
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
Result<void> add_sample_evidence(const Batches& candidate, const Batches& baseline, const Units& units,
                                 Comparison& comparison) {
  const CompareOptions& options = comparison.options;
  const stats::BootstrapOptions bootstrap{options.resamples, 1.0 - options.alpha, options.seed};
  Batches candidates = joined(units.candidate);
  Batches baselines = joined(units.baseline);
  ASSAY_TRY(const Sample candidate_times, Sample::make(pooled(candidates), "the candidate's times"));
  ASSAY_TRY(const Sample baseline_times, Sample::make(pooled(baselines), "the baseline's times"));
  comparison.candidate = summarize_side(candidate, candidate_times, bootstrap);
  comparison.baseline = summarize_side(baseline, baseline_times, bootstrap);
  comparison.median_ratio = stats::median(candidate_times.sorted()) / stats::median(baseline_times.sorted());
  comparison.median_ratio_interval = stats::median_ratio_interval(candidate_times, baseline_times, 1.0 - options.alpha);

  if (units.paired) level(candidates, baselines);
  warn_of_samples(candidates, baselines, comparison);
  ASSAY_TRY(const Sample first, Sample::make(pooled(candidates), "the candidate's times"));
  ASSAY_TRY(const Sample second, Sample::make(pooled(baselines), "the baseline's times"));
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
  const double seen = std::max(significant, std::expm1(std::log1p(options.minimum_effect) + chance));
  return std::expm1(std::log1p(seen) + time.hidden);
}

}  // namespace

RatioEstimate ratio_of(const Batches& candidate, const Batches& baseline, const CompareOptions& options) {
  const Units units = make_units(candidate, baseline, options.interleaved, false);
  if (units.candidate.empty() || units.baseline.empty()) return {};
  return estimate(units, options, false);
}

std::vector<double> process_ratios(const Batches& candidate, const Batches& baseline) {
  const Units units = make_units(candidate, baseline, true, false);
  if (!units.replicated) return {};
  return differences(log_levels(units.candidate, false), log_levels(units.baseline, false));
}

RatioEstimate level_of(const Batches& batches, const CompareOptions& options) {
  const Units units = make_units(batches, batches, true, false);
  if (!units.replicated) return {};
  return stats::paired_ratio(log_levels(units.candidate, false),
                             expected_deviation(units, options) / std::numbers::sqrt2);
}

Result<Comparison> compare(const Batches& candidate, const Batches& baseline, const CompareOptions& options) {
  ASSAY_CHECK(validate(options));
  ASSAY_CHECK(validate(candidate, "the candidate"));
  ASSAY_CHECK(validate(baseline, "the baseline"));

  Evidence evidence{.candidate_throttled = throttled_fraction(candidate),
                    .baseline_throttled = throttled_fraction(baseline)};
  const double throttled = std::max(evidence.candidate_throttled, evidence.baseline_throttled);
  Units units = make_units(candidate, baseline, options.interleaved, throttled > options.max_throttled);
  if (units.candidate.empty() || units.baseline.empty()) {
    // No pair of batches is complete: show what there is, without leaving anything out.
    units = make_units(candidate, baseline, false, true);
  }
  const TimerTicks ticks = timer_ticks(units);
  evidence.time = estimate(units, options, false);
  evidence.time.hidden = ticks.hidden;
  evidence.process_spread_known = units.replicated || options.process_spread.has_value();
  if (mean_clock(joined(units.candidate)) && mean_clock(joined(units.baseline))) {
    evidence.cycles = estimate(units, options, true);
    evidence.cycles->hidden = ticks.hidden;
  }

  Comparison comparison{.options = options};
  auto [verdict, reason] = decide(evidence, options);
  comparison.verdict = verdict;
  comparison.reason = std::move(reason);
  comparison.ratio = evidence.time.ratio();
  comparison.interval = evidence.time.interval(1.0 - options.alpha);
  comparison.likely = evidence.time.noise_interval(0.9);
  comparison.p = evidence.time.p_different();
  comparison.equivalence_p = evidence.time.p_outside(options.margin);
  comparison.minimum_detectable_effect = detectable(evidence.time, options);
  comparison.units = evidence.time.units;
  comparison.replicated = units.replicated;
  add_levels(units, comparison);
  if (evidence.cycles) {
    comparison.cycles = {evidence.cycles->ratio(), evidence.cycles->interval(1.0 - options.alpha),
                         cycles_confirm(evidence.time, *evidence.cycles, options)};
  }
  comparison.warnings = units.warnings;
  warn_of_ticks(ticks, comparison);
  if (options.resamples == 0) return comparison;
  ASSAY_CHECK(add_sample_evidence(candidate, baseline, units, comparison));
  warn_of_throttling(comparison);
  return comparison;
}

}  // namespace assay::judge
