// SPDX-License-Identifier: MIT
#include "tune/replay.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>

#include "base/elapsed.hpp"
#include "base/random.hpp"
#include "tune/prediction.hpp"
#include "tune/race.hpp"

namespace assay::tune {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  const double middle = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

double or_never(const std::optional<size_t>& count) {
  return count ? static_cast<double>(*count) : kNever;
}
double or_never(const std::optional<double>& count) {
  return count ? *count : kNever;
}

std::vector<double> good_times(const RecordedSpace& recorded) {
  std::vector<double> times;
  for (const auto& each : recorded.milliseconds) {
    if (each) times.push_back(*each);
  }
  std::ranges::sort(times);
  return times;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (size_t i = first; i <= last; ++i) rank[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return rank;
}

std::string most_frequent(const std::vector<std::string>& words) {
  std::map<std::string, size_t> counts;
  for (const std::string& each : words) ++counts[each];
  return std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
}

}  // namespace

ReplayRun replay_once(const RecordedSpace& recorded, const ReplayOptions& options, uint64_t seed) {
  StrategyOptions strategy_options{seed, options.budget, {}, {}};
  if (options.counters) strategy_options.demands = demands_by_kind(recorded.counters);
  const auto strategy = make_strategy(options.strategy, recorded.space, strategy_options);
  ReplayRun run;
  if (!strategy) return run;
  const double optimum = recorded.best();
  double best = kNever;
  size_t rounds = 0;
  // Nothing is better than the best: a run that found it ends, and keeps it.
  while (run.best_so_far.size() < options.budget && best > optimum) {
    const size_t wanted = std::min(std::max<size_t>(options.batch, 1), options.budget - run.best_so_far.size());
    const std::vector<size_t> picks = (*strategy)->propose(wanted);
    if (picks.empty()) break;
    ++rounds;
    for (const size_t pick : picks) {
      const auto& time = recorded.milliseconds[pick];
      (*strategy)->tell(pick, {time});
      if (time) best = std::min(best, *time);
      run.best_so_far.push_back(best);
      if (!run.to_5 && best <= optimum * 1.05) run.to_5 = run.best_so_far.size();
      if (!run.to_1 && best <= optimum * 1.01) {
        run.to_1 = run.best_so_far.size();
        run.rounds_to_1 = rounds;
      }
    }
  }
  if (!run.to_1) run.rounds_to_1 = rounds;
  run.last_ratio = best / optimum;
  return run;
}

namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double resampled(const std::vector<double>& samples, size_t count, Random& random) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += samples[random.below(samples.size())];
  return sum / static_cast<double>(count);
}

double variation(const std::vector<double>& samples) {
  const double mean = mean_of(samples);
  double sum = 0;
  for (const double each : samples) sum += (each - mean) * (each - mean);
  return std::sqrt(sum / static_cast<double>(std::max<size_t>(samples.size() - 1, 1))) / mean;
}

struct NoisyTuning {
  size_t answer = 0;
  bool held = false;
  double regret = 0;
  size_t tied = 0;
  size_t samples = 0;
};

NoisyTuning tune_with_noise(const RecordedSpace& recorded, const ReplayOptions& options, uint64_t seed,
                            uint64_t noise_seed) {
  const auto strategy = make_strategy(options.strategy, recorded.space, {seed, options.budget, {}, {}});
  const RaceOptions race_options;
  Random random(noise_seed);
  std::vector<std::pair<double, size_t>> measured;
  size_t evaluations = 0;
  while (strategy && evaluations < options.budget) {
    const std::vector<size_t> picks = (*strategy)->propose(1);
    if (picks.empty()) break;
    ++evaluations;
    const std::vector<double>& samples = recorded.samples[picks[0]];
    if (!recorded.milliseconds[picks[0]] || samples.empty()) {
      (*strategy)->tell(picks[0], {});
      continue;
    }
    const double time = resampled(samples, race_options.samples, random);
    (*strategy)->tell(picks[0], {time});
    measured.emplace_back(time, picks[0]);
  }
  NoisyTuning tuning;
  if (measured.empty()) return tuning;
  std::ranges::sort(measured);
  Race race(finalists(measured), race_options, seed);
  while (const auto heat = race.next()) {
    const double time = resampled(recorded.samples[heat->configuration], heat->samples, random);
    race.add(heat->configuration, std::vector{time});
    tuning.samples += heat->samples;
  }
  size_t best = measured.front().second;
  for (const auto& [time, configuration] : measured) {
    if (mean_of(recorded.samples[configuration]) < mean_of(recorded.samples[best])) best = configuration;
  }
  const std::vector<RaceStanding> standings = race.standings();
  tuning.answer = standings.front().configuration;
  tuning.regret = mean_of(recorded.samples[tuning.answer]) / mean_of(recorded.samples[best]) - 1;
  for (const RaceStanding& each : standings) {
    if (!each.tied) continue;
    ++tuning.tied;
    tuning.held = tuning.held || each.configuration == best;
  }
  return tuning;
}

}  // namespace

std::optional<NoiseSummary> replay_noisy(const RecordedSpace& recorded, const ReplayOptions& options) {
  std::vector<double> variations;
  for (const std::vector<double>& samples : recorded.samples) {
    if (samples.size() > 1) variations.push_back(variation(samples));
  }
  if (variations.size() < 2) return std::nullopt;
  NoiseSummary summary;
  summary.space = recorded.name;
  summary.noise = median(variations).value_or(0);
  for (size_t i = 0; i < options.seeds; ++i) {
    const uint64_t seed = options.first_seed + i;
    const NoisyTuning first = tune_with_noise(recorded, options, seed, 2 * seed);
    const NoisyTuning again = tune_with_noise(recorded, options, seed, 2 * seed + 1);
    summary.flips += first.answer != again.answer ? 1 : 0;
    for (const NoisyTuning& tuning : {first, again}) {
      ++summary.tunings;
      summary.held += tuning.held ? 1 : 0;
      summary.regret += tuning.regret;
      summary.worst_regret = std::max(summary.worst_regret, tuning.regret);
      summary.tie_group += static_cast<double>(tuning.tied);
      summary.samples += static_cast<double>(tuning.samples);
    }
  }
  const double n = static_cast<double>(std::max<size_t>(summary.tunings, 1));
  summary.flips /= static_cast<double>(std::max<size_t>(options.seeds, 1));
  summary.held /= n;
  summary.regret /= n;
  summary.tie_group /= n;
  summary.samples /= n;
  return summary;
}

std::vector<double> random_baseline(const std::vector<double>& sorted, size_t draws) {
  // After k draws without replacement of N, the expected rank of the best one is (N + 1) / (k + 1).
  std::vector<double> expected;
  const double n = static_cast<double>(sorted.size());
  for (size_t k = 1; k <= draws; ++k) {
    const double rank = std::clamp((n + 1) / (static_cast<double>(k) + 1), 1.0, n);
    const size_t low = static_cast<size_t>(rank) - 1;
    const size_t high = std::min(low + 1, sorted.size() - 1);
    const double part = rank - std::floor(rank);
    expected.push_back(sorted[low] * (1 - part) + sorted[high] * part);
  }
  return expected;
}

size_t baseline_budget(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const double middle = sorted[sorted.size() / 2];
  const double goal = middle - 0.95 * (middle - sorted.front());
  const std::vector<double> baseline = random_baseline(sorted, sorted.size());
  for (size_t k = 0; k < baseline.size(); ++k) {
    if (baseline[k] <= goal) return k + 1;
  }
  return sorted.size();
}

double performance_score(const RecordedSpace& recorded, const std::vector<ReplayRun>& runs, size_t evaluations) {
  const std::vector<double> sorted = good_times(recorded);
  if (sorted.size() < 2 || runs.empty()) return 0;
  const size_t budget = std::min(baseline_budget(sorted), evaluations);
  const std::vector<double> baseline = random_baseline(sorted, budget);
  double sum = 0;
  size_t points = 0;
  for (size_t k = 0; k < budget; ++k) {
    // Repeats are averaged by rank; a run that ended keeps its last best, one in which nothing ran yet has the worst.
    double rank = 0;
    size_t counted_runs = 0;
    for (const ReplayRun& run : runs) {
      if (run.best_so_far.empty()) continue;
      const double best = run.best_so_far[std::min(k, run.best_so_far.size() - 1)];
      rank += std::isfinite(best)
                  ? static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), best) - sorted.begin())
                  : static_cast<double>(sorted.size() - 1);
      ++counted_runs;
    }
    if (counted_runs == 0) continue;
    rank /= static_cast<double>(counted_runs);
    const size_t low = static_cast<size_t>(rank);
    const size_t high = std::min(low + 1, sorted.size() - 1);
    const double part = rank - std::floor(rank);
    const double reached = sorted[low] * (1 - part) + sorted[high] * part;
    const double gap = baseline[k] - sorted.front();
    if (gap <= 0) continue;
    sum += (baseline[k] - reached) / gap;
    ++points;
  }
  return points == 0 ? 0 : sum / static_cast<double>(points);
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double n = static_cast<double>(x.size());
  if (x.size() < 2) return 0;
  const double mean = (n - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

Result<ReplaySummary> replay(const RecordedSpace& recorded, const ReplayOptions& options) {
  const auto probe = make_strategy(options.strategy, recorded.space, {});
  if (!probe) return probe.error();
  if (recorded.good_count() == 0)
    return Error{fmt::format("every configuration of '{}' failed, most of them with '{}': there is nothing to find",
                             recorded.name, most_frequent(recorded.failures))};
  ReplaySummary summary;
  summary.space = recorded.name;
  summary.device = recorded.device;
  summary.configurations = recorded.space.size();
  summary.failing = recorded.space.size() - recorded.good_count();
  summary.within_5 = recorded.within(1.05);
  summary.within_1 = recorded.within(1.01);
  std::vector<ReplayRun> runs;
  std::vector<double> to_5, to_1, rounds;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < options.seeds; ++i) {
    runs.push_back(replay_once(recorded, options, options.first_seed + i));
    const ReplayRun& run = runs.back();
    to_5.push_back(or_never(run.to_5));
    to_1.push_back(or_never(run.to_1));
    rounds.push_back(run.to_1 ? static_cast<double>(run.rounds_to_1) : kNever);
    summary.missed_5 += run.to_5 ? 0 : 1;
    summary.missed_1 += run.to_1 ? 0 : 1;
    summary.last_ratio += run.last_ratio;
  }
  const double n = static_cast<double>(std::max<size_t>(options.seeds, 1));
  summary.seconds = seconds_since(start) / n;
  summary.to_5 = median(to_5);
  summary.to_1 = median(to_1);
  summary.rounds_to_1 = median(rounds);
  summary.missed_5 /= n;
  summary.missed_1 /= n;
  summary.last_ratio /= n;
  summary.score = performance_score(recorded, runs, options.budget);
  if (const std::vector<double> predicted = predict_cycles(recorded.counters); !predicted.empty()) {
    std::vector<double> x, y;
    for (size_t i = 0; i < predicted.size(); ++i) {
      if (!std::isfinite(predicted[i]) || !recorded.milliseconds[i]) continue;
      x.push_back(predicted[i]);
      y.push_back(*recorded.milliseconds[i]);
    }
    summary.correlation = rank_correlation(x, y);
  }
  return summary;
}

ReplayTotal total(const std::vector<ReplaySummary>& spaces) {
  ReplayTotal sum;
  std::vector<double> to_5, to_1, rounds;
  for (const ReplaySummary& each : spaces) {
    to_5.push_back(or_never(each.to_5));
    to_1.push_back(or_never(each.to_1));
    rounds.push_back(or_never(each.rounds_to_1));
    sum.missed_5 += each.missed_5;
    sum.missed_1 += each.missed_1;
    sum.last_ratio += each.last_ratio;
    sum.score += each.score;
    sum.seconds += each.seconds;
  }
  sum.to_5 = median(to_5);
  sum.to_1 = median(to_1);
  sum.rounds_to_1 = median(rounds);
  const double n = static_cast<double>(std::max<size_t>(spaces.size(), 1));
  sum.missed_5 /= n;
  sum.missed_1 /= n;
  sum.last_ratio /= n;
  sum.score /= n;
  sum.seconds /= n;
  return sum;
}

}  // namespace assay::tune
