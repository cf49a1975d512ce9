// SPDX-License-Identifier: MIT
#include "tune/race.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::tune {
namespace {

constexpr size_t kFinalists = 24;
constexpr double kNearBest = 1.05;

}  // namespace

std::vector<size_t> finalists(const std::vector<std::pair<double, size_t>>& measured) {
  std::vector<size_t> chosen;
  for (const auto& [time, configuration] : measured) {
    if (time <= measured.front().first * kNearBest && chosen.size() < kFinalists) chosen.push_back(configuration);
  }
  return chosen;
}

Race::Race(const std::vector<size_t>& configurations, const RaceOptions& options, uint64_t seed)
    : options_(options), random_(seed) {
  for (const size_t each : configurations) runners_.push_back({each, {}, false});
}

Race::Runner* Race::find(size_t configuration) {
  const auto found = std::ranges::find(runners_, configuration, &Runner::configuration);
  return found == runners_.end() ? nullptr : &*found;
}

std::optional<Race::Heat> Race::next() {
  while (!decided_ && heats_.empty()) {
    if (round_ > 0) close_round();
    if (decided_) break;
    ++round_;
    for (const Runner& runner : runners_) {
      if (!runner.out) heats_.push_back(runner.configuration);
    }
    if (heats_.empty()) decided_ = true;
    for (size_t i = heats_.size(); i > 1; --i) std::swap(heats_[i - 1], heats_[random_.below(i)]);
  }
  if (decided_) return std::nullopt;
  return Heat{heats_.back(), options_.samples};
}

void Race::add(size_t configuration, std::span<const double> milliseconds) {
  std::erase(heats_, configuration);
  Runner* runner = find(configuration);
  if (runner == nullptr) return;
  for (const double each : milliseconds) runner->logs.push_back(std::log(each));
  if (milliseconds.empty()) runner->out = true;
}

void Race::join(size_t configuration, std::span<const double> milliseconds) {
  if (find(configuration) == nullptr) runners_.push_back({configuration, {}, false});
  add(configuration, milliseconds);
}

// Noise is the machine's rather than the configuration's: what all of them show together is the better estimate.
double Race::pooled_deviation() const {
  double sum = 0;
  double freedom = 0;
  for (const Runner& runner : runners_) {
    if (runner.logs.size() < 2) continue;
    const double mean =
        std::accumulate(runner.logs.begin(), runner.logs.end(), 0.0) / static_cast<double>(runner.logs.size());
    for (const double each : runner.logs) sum += (each - mean) * (each - mean);
    freedom += static_cast<double>(runner.logs.size() - 1);
  }
  return freedom > 0 ? std::sqrt(sum / freedom) : 0.01;
}

// A deviation that few samples show is itself uncertain.
double Race::needed_deviations() const {
  double freedom = 0;
  for (const Runner& runner : runners_)
    freedom += runner.logs.size() > 1 ? static_cast<double>(runner.logs.size() - 1) : 0;
  return options_.deviations * (1 + 2 / std::max(freedom, 1.0));
}

Race::Estimate Race::estimate(const Runner& runner, double deviation) const {
  const auto n = static_cast<double>(runner.logs.size());
  const double mean = std::accumulate(runner.logs.begin(), runner.logs.end(), 0.0) / n;
  double own = 0;
  for (const double each : runner.logs) own += (each - mean) * (each - mean);
  own = runner.logs.size() > 4 ? std::sqrt(own / (n - 1)) : deviation;
  return {mean, std::max(deviation, own) / std::sqrt(n)};
}

const Race::Runner* Race::leader() const {
  const Runner* best = nullptr;
  double least = 0;
  const double deviation = pooled_deviation();
  for (const Runner& runner : runners_) {
    if (runner.out || runner.logs.empty()) continue;
    const double mean = estimate(runner, deviation).mean;
    if (best == nullptr || mean < least) {
      best = &runner;
      least = mean;
    }
  }
  return best;
}

void Race::close_round() {
  const Runner* best = leader();
  if (best == nullptr || round_ >= options_.rounds) {
    decided_ = true;
    return;
  }
  if (round_ < 2) return;  // one round alone says nothing about the noise
  const double deviation = pooled_deviation();
  const double needed = needed_deviations();
  const Estimate first = estimate(*best, deviation);
  size_t racing = 0;
  bool resolved = true;
  for (Runner& runner : runners_) {
    if (runner.out || &runner == best) continue;
    const Estimate other = estimate(runner, deviation);
    const double error = std::hypot(first.error, other.error);
    const double behind = other.mean - first.mean;
    if (behind > needed * error && behind > options_.margin) {
      runner.out = true;
      continue;
    }
    ++racing;
    resolved = resolved && behind + needed * error <= options_.margin;
  }
  decided_ = racing == 0 || resolved;
}

std::vector<RaceStanding> Race::standings() const {
  const double deviation = pooled_deviation();
  const Runner* best = leader();
  std::vector<RaceStanding> list;
  for (const Runner& runner : runners_) {
    if (runner.logs.empty()) continue;
    const Estimate mine = estimate(runner, deviation);
    RaceStanding standing{runner.configuration, std::exp(mine.mean), false, runner.logs.size()};
    if (best != nullptr && !runner.out) {
      const Estimate first = estimate(*best, deviation);
      const double behind = mine.mean - first.mean;
      standing.tied = &runner == best || behind <= options_.margin ||
                      behind <= needed_deviations() * std::hypot(first.error, mine.error);
    }
    list.push_back(standing);
  }
  std::ranges::stable_sort(list, [](const RaceStanding& a, const RaceStanding& b) {
    return a.tied != b.tied ? a.tied : a.milliseconds < b.milliseconds;
  });
  return list;
}

double Race::may_lose(const Runner& chosen) const {
  const double deviation = pooled_deviation();
  const Estimate own = estimate(chosen, deviation);
  double most = 0;
  for (const Runner& runner : runners_) {
    if (runner.out || runner.logs.empty() || &runner == &chosen) continue;
    const Estimate other = estimate(runner, deviation);
    most = std::max(most, own.mean - other.mean + needed_deviations() * std::hypot(own.error, other.error));
  }
  return std::expm1(most);
}

double Race::regret_bound() const {
  const Runner* best = leader();
  return best == nullptr ? 0 : may_lose(*best);
}

std::optional<double> Race::regret_bound(size_t configuration) const {
  const auto found = std::ranges::find(runners_, configuration, &Runner::configuration);
  if (found == runners_.end() || found->logs.empty()) return std::nullopt;
  return may_lose(*found);
}

}  // namespace assay::tune
