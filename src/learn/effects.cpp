// SPDX-License-Identifier: MIT
#include "learn/effects.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::learn {
namespace {

// A mean over n residuals counts as if so many zeros stood beside them.
constexpr double kSinglePrior = 2;
constexpr double kPairPrior = 4;
constexpr int kRounds = 20;        // of taking each effect from what the others leave
constexpr double kWorst = 1.0986;  // log 3: everything slower than three times the best is equally bad

struct Observation {
  std::vector<std::string> singles;
  std::vector<std::string> pairs;
  double left = 0;  // the logarithm that no effect explains yet
};

std::vector<std::string> singles_of(const Values& values) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : values) keys.push_back(fmt::format("{}={}", name, value));
  return keys;
}

std::vector<std::string> pairs_of(const std::vector<std::string>& singles) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < singles.size(); ++i) {
    for (size_t k = i + 1; k < singles.size(); ++k) keys.push_back(singles[i] + "," + singles[k]);
  }
  return keys;
}

// Logarithms, clamped above the best of each place and with their mean taken away: places differ in level.
std::vector<Observation> observe(const std::vector<Trial>& trials) {
  std::map<std::string, std::vector<const Trial*>> places;
  for (const Trial& trial : trials) {
    if (trial.time_us > 0 && std::isfinite(trial.time_us)) places[trial.place() + trial.source].push_back(&trial);
  }
  std::vector<Observation> observations;
  for (const auto& [place, there] : places) {
    double best = INFINITY, sum = 0;
    for (const Trial* trial : there) best = std::min(best, std::log(trial->time_us));
    const auto level = [&](const Trial* trial) { return std::min(std::log(trial->time_us), best + kWorst); };
    for (const Trial* trial : there) sum += level(trial);
    for (const Trial* trial : there) {
      Observation seen;
      seen.singles = singles_of(trial->values);
      seen.pairs = pairs_of(seen.singles);
      seen.left = level(trial) - sum / static_cast<double>(there.size());
      observations.push_back(std::move(seen));
    }
  }
  return observations;
}

// One round: each effect becomes the shrunk mean of what is left where it occurs, itself included.
void refine(std::vector<Observation>& observations, std::map<std::string, double>& effects,
            std::vector<std::string> Observation::* keys, double prior) {
  std::map<std::string, std::pair<double, size_t>> sums;
  for (const Observation& seen : observations) {
    for (const std::string& key : seen.*keys) {
      auto& [sum, count] = sums[key];
      sum += seen.left + effects[key];
      ++count;
    }
  }
  std::map<std::string, double> change;
  for (const auto& [key, total] : sums) {
    const double effect = total.first / (static_cast<double>(total.second) + prior);
    // Effects of one observation are refined together: each takes a part of the step, or they would overshoot.
    change[key] = (effect - effects[key]) / 4;
    effects[key] += change[key];
  }
  for (Observation& seen : observations) {
    for (const std::string& key : seen.*keys) seen.left -= change[key];
  }
}

double sum_of(const std::map<std::string, double>& effects, const std::vector<std::string>& keys) {
  double sum = 0;
  for (const std::string& key : keys) {
    const auto found = effects.find(key);
    if (found != effects.end()) sum += found->second;
  }
  return sum;
}

}  // namespace

Effects Effects::fit(const std::vector<Trial>& trials) {
  Effects effects;
  std::vector<Observation> observations = observe(trials);
  effects.trials_ = observations.size();
  for (int round = 0; round < kRounds; ++round)
    refine(observations, effects.single_, &Observation::singles, kSinglePrior);
  for (int round = 0; round < kRounds; ++round) refine(observations, effects.pair_, &Observation::pairs, kPairPrior);
  return effects;
}

double Effects::factor(const Values& values) const {
  const std::vector<std::string> singles = singles_of(values);
  return std::exp(sum_of(single_, singles) + sum_of(pair_, pairs_of(singles)));
}

std::vector<Values> ranked(const Effects& effects, std::vector<Values> candidates) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < candidates.size(); ++i) order.emplace_back(effects.factor(candidates[i]), i);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Values> sorted;
  for (const auto& [factor, index] : order) sorted.push_back(std::move(candidates[index]));
  return sorted;
}

}  // namespace assay::learn
